"""From a user's files to panels: CSV, Excel and Parquet, in the layouts that people have."""

from calibscope.market.readers.read import FileLike, read_panels
from calibscope.market.readers.reading import Role

__all__ = ["FileLike", "Role", "read_panels"]
