"""What each agent's host is given, made from one source: a path in the tree, and its bytes.

Nothing is written here. `plugins/` of the repository is this output for any machine; `init` asks
for it with the paths of one.
"""

from forsooth.packages.kit import HOSTS, NAME, Kit
from forsooth.packages.tree import package, tree

__all__ = ["HOSTS", "NAME", "Kit", "package", "tree"]
