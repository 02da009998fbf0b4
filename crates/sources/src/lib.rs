//! Reading a desired state from files, directories and standard input.
