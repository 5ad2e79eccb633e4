"""The sums of CKY for one random grammar and sentence, by the engine and by programs written for nothing else.

    in[i, k, A]  = Σ over rules A → B C and splits j:  w(A → B C) · in[i, j, B] · in[j, k, C]
    out[i, j, B] = Σ over rules A → B C and ends k:    w(A → B C) · out[i, k, A] · in[j, k, C]
                 + Σ over rules A → C B and starts h:  w(A → C B) · out[h, j, A] · in[h, i, C]

Everyone gets the logs of the weights and gives back the logs of all in and out, as arrays of shape
(n + 1, n + 1, labels) with -inf where there is nothing.
"""
