"""Reading: files, notebooks and standard input of a user as modules, without running them.

In:  a path.
Out: its text and syntax trees (`sources`), and a module in which its definitions were run (`file_without_running`).

`plain_statements` says which statements are run, `names` which names statements bind, change and read. `project` finds
the package of a file, the directories that its imports are looked for in, and what to do about an import that fails.

Invariant: only imports, definitions and plain assignments of the file run.  Every other name that the file binds
is an `Unloaded`, which is refused where a function reads it.
"""
