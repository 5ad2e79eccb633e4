"""What the tests of docs/ share: blocks of pages, command lines, and the files that guides name."""
