"""Raw text in and out: words, case and spaces are taken apart before a translation and put back after it."""
