"""One discovery and its bootstrap on a dask cluster: the same answer as here, from many machines.

    python examples/cluster.py tcp://scheduler:8786

Without an address the cluster is three processes on this machine.
"""

import sys
import warnings

import joblib
import numpy as np
from distributed import Client, LocalCluster

import dagscale


def main(address=None):
    table = dagscale.simulate(nodes=6, samples=200, random_state=1000).table
    here = dagscale.discover(table, n_jobs=1)
    with Client(address or local_cluster()) as client, joblib.parallel_config("dask"):
        print(f"{len(client.scheduler_info()['workers'])} workers")
        there = dagscale.discover(table)  # the fits of its nodes
        sure = dagscale.bootstrap(table, "cam", replicates=20)  # one replicate a task
    print(there)
    print("the same as here:", np.array_equal(here.adjacency, there.adjacency))
    print(sure)


def local_cluster():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about a port in use
        return LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None)


if __name__ == "__main__":
    main(*sys.argv[1:2])
