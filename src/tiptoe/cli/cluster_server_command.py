"""`tiptoe cluster server`: one server of a small cluster, until it is stopped."""

from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter

from tiptoe.cluster.libraries import cluster_libraries

__all__ = ["ServerDir", "server_command"]

PORT: Final = 4222
CLUSTER_PORT: Final = 6222
LOOPBACK: Final = "127.0.0.1"

ServerDir = Annotated[Path, Parameter(name="--dir", help="Directory of the server, used for nothing else.")]


def server_command(
    *,
    directory: ServerDir,
    host: Annotated[
        str, Parameter(help=f"Where to listen; the default, {LOOPBACK}, lets no other machine in.")
    ] = "",
    advertise: Annotated[
        str,
        Parameter(help="Name or address by which other machines reach this one, if it differs from --host."),
    ] = "",
    port: Annotated[int, Parameter(help=f"Port for members; {PORT} by default.", show_default=False)] = 0,
    cluster_port: Annotated[
        int, Parameter(help=f"Port for other servers; {CLUSTER_PORT} by default.", show_default=False)
    ] = 0,
    servers: Annotated[
        int,
        Parameter(
            help="How many servers the cluster is to have: 1, 3 or 5. Set when the first is created.",
            show_default=False,
        ),
    ] = 0,
    name: Annotated[str, Parameter(help="Name of this server; by default its host and port.")] = "",
    join_file: Annotated[
        Path | None, Parameter(help="join.json of a server of the cluster that this one is to join.")
    ] = None,
    join: Annotated[
        tuple[str, ...], Parameter(help="Where another server is, as host:cluster-port, if join.json is old.")
    ] = (),
    replace: Annotated[
        bool,
        Parameter(help="Replace the server with this --name, which was lost with its disk."),
    ] = False,
    plain: Annotated[
        bool, Parameter(help="Encrypt nothing: only for networks where nobody can eavesdrop.")
    ] = False,
    storage_max: Annotated[
        str, Parameter(help="Most that it may store, such as 50GB; by default as much as the disk allows.")
    ] = "",
) -> int:
    """Run one server of a cluster until it is stopped."""
    with cluster_libraries():
        from tiptoe.cli.cluster_serving import ServerFlags, serve
    flags = ServerFlags(
        host=host, advertise=advertise, port=port, cluster_port=cluster_port, name=name,
        storage_max=storage_max,
    )  # fmt: skip
    return serve(
        directory, flags, servers=servers, join_file=join_file, routes=join, replaces=replace, is_plain=plain
    )
