"""The programs that people use now for sequences and trees, each in a file and at work in a process of its own.

`pip install -r benchmarks/peers.txt` gets them, into this environment or, to keep it clean, into one at
`$PALMETTE_PEERS/venv`; their trained models are kept in `$PALMETTE_PEERS` too. What is not installed is left out.
`python -m benchmarks.peers [NAME ...]` measures them alone; `benchmarks.sequences` and
`benchmarks.parsing` put Palmette beside them.

A work is a function of plain arguments that gets everything ready, imports included, and gives back a
`benchmarks.peers.process.Work`: only that is timed.
"""
