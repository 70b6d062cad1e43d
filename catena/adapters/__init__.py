"""Catena in other people's frameworks, one module each; import the one that you want.

Each translates names, numbers and errors, and knows no rule.  A module needs its framework, which
the extra of the same name installs: ``pip install 'catena-engine[openspiel]'`` for
``catena.adapters.openspiel``, ``pip install 'catena-engine[pettingzoo]'`` for
``catena.adapters.pettingzoo``.
"""
