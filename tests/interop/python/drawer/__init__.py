"""Drawer: a complete Ptah provider in Python, for a small database that is one JSON file.

Read it in this order:

    bootstrap.py   how the process starts: cookie, certificates, one line on standard output, and how it ends
    contract.py    the words of the contract that every call needs: features, failures with a reason, digests
    service.py     the calls: each checked, given to its session, and its reply made
    session.py     one session: its locks, its transaction, and what it may still do
    store.py       the engine itself: one file, changed by replacing it
    language.py    its language: statements, and where they stand in a source
    planning.py    from changes to steps
    claims.py      what the database remembers of runs

It links no library of Ptah: only grpcio, cryptography, and the code that protoc makes from the files in proto/.
"""
