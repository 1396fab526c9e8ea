"""Functions taken apart and put together: their arrays once, with strides, shared memory and content."""

import io
from concurrent.futures import CancelledError

import joblib
import numpy as np
import pytest

from dagscale.runtime import ship_closures as travel
from dagscale.runtime.parallel import parallel_map, parallel_results
from dagscale.runtime.ship_closures import LARGE, _digest, _Packer, _Unpacker
from dagscale.runtime.workers import workers


def there_and_back(function):
    """Return a function as a worker puts it together, and the arrays that travelled beside it."""
    file = io.BytesIO()
    packer = _Packer(file)
    packer.dump(function)
    sent = [array.copy(order="K") for array in packer.arrays]
    for array in sent:
        array.flags.writeable = False  # as from shared memory
    return _Unpacker(io.BytesIO(file.getvalue()), sent).load(), sent, len(file.getvalue())


def test_large_arrays_travel_beside_the_function_and_small_ones_inside():
    large, small = np.random.default_rng(0).normal(size=(2, LARGE)), np.arange(5.0)
    function, sent, size = there_and_back(lambda k: (large[k].sum(), small[k]))
    assert [array.shape for array in sent] == [large.shape]
    assert size < 5000
    assert function(1) == (large[1].sum(), 1.0)


@pytest.mark.parametrize("order", ["C", "F"])
def test_views_keep_their_strides_and_share_their_memory(order):
    table = np.asarray(np.random.default_rng(0).normal(size=(300, 400)), order=order)
    views = [table, table.T, table[5:, ::3], table[::-1, 7], table[:, :2], table.view(np.int64)]
    function, sent, _ = there_and_back(lambda: views)
    assert len(sent) == 1
    for view, back in zip(views, function(), strict=True):
        assert back.strides == view.strides
        assert back.dtype == view.dtype
        assert back.tobytes() == view.tobytes()
        assert np.shares_memory(back, sent[0])


def test_what_is_no_plain_array_of_numbers_goes_as_it_is():
    objects = np.array([{"a": 1}] * LARGE, dtype=object)
    words = np.array(["word"] * LARGE)
    function, sent, _ = there_and_back(lambda: (objects[0], words[-1]))
    assert sent == []
    assert function() == ({"a": 1}, "word")


def test_digests_tell_content_type_shape_and_layout_apart():
    table = np.random.default_rng(0).normal(size=(4, 4))
    changed = table.copy()
    changed[3, 3] = np.nextafter(changed[3, 3], 9)
    others = [table.T, changed, table.reshape(2, 8), table.view(np.int64), np.asfortranarray(table)]
    digests = [_digest(other) for other in others]
    assert _digest(table) == _digest(table.copy())
    assert _digest(table) not in digests
    assert len({*digests}) == len(others)


def test_processes_of_this_machine():
    table = np.random.default_rng(0).normal(size=(20, LARGE // 8))

    def task(k):
        return float(table[k].sum()), workers(8), parallel_map(abs, [-k], 2)

    with joblib.parallel_config("loky", n_jobs=2):
        found = parallel_map(task, range(20))
    assert found == [(float(row.sum()), 1, [k]) for k, row in enumerate(table)]


def test_processes_where_they_are_asked_for():
    import os

    pids = list(parallel_results(lambda _: os.getpid(), range(4), 2, processes=True))
    assert os.getpid() not in pids


class Forgetting:
    """Stands for joblib.Parallel on a cluster that loses its data after two results, `times` times."""

    times = 0

    def __init__(self, **_options):
        pass

    def __call__(self, calls):
        for k, (function, args, options) in enumerate(calls):
            if k == 2 and Forgetting.times > 0:
                Forgetting.times -= 1
                raise CancelledError
            yield function(*args, **options)


@pytest.mark.parametrize("times", [0, 1, 2])
def test_data_lost_with_their_workers_are_sent_again_and_nothing_is_done_twice(monkeypatch, times):
    monkeypatch.setattr(travel.joblib, "Parallel", Forgetting)
    Forgetting.times = times
    assert list(travel.shipped_map(lambda k: k * k, range(7), 2)) == [k * k for k in range(7)]
    assert Forgetting.times == 0
    Forgetting.times = travel.ATTEMPTS
    with pytest.raises(CancelledError):
        list(travel.shipped_map(lambda k: k * k, range(9), 2))


def test_a_backend_without_generators_gives_the_same_results():
    table = np.random.default_rng(0).normal(size=(4, LARGE))
    with joblib.parallel_config("multiprocessing", n_jobs=2):
        found = parallel_map(lambda k: float(table[k].sum()), range(4))
    assert found == [float(row.sum()) for row in table]
