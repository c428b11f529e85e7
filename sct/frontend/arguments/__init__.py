"""The arguments of a call, and the free variables of the function, as abstract values.

`argument_keys` says which calls share a specialization; `abstract_arguments` turns each argument into flat
parameters and an abstract value, `lift` does so for objects read from globals, closures and attributes.
`argument_aliasing` guards that written arguments share no memory; `type_syntax` reads types written as text.
"""
