"""Records on a Spark cluster: executors read and count files, the driver adds up what they return.

Files must be where every executor sees them under the same path. The rows of a DataFrame have no order of their own,
and computing them again may bring them in another one; so a DataFrame is written to Parquet once, and what was written
is the table from then on. Results travel as rows of a job, not as accumulators, which may count a task that was run
again twice.
"""

from __future__ import annotations

import atexit
import io
import os
import re
import shutil
import sys
import tempfile
import weakref
import zipfile
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from zipimport import zipimporter

from privpac.data.engines.files import files_at
from privpac.data.engines.sharded import ShardedSample
from privpac.data.schema import Schema
from privpac.data.tables import is_spark_frame
from privpac.errors import DataError, MissingExtra

__all__ = ["SparkRunner", "forget_archives", "session", "spark_sample"]


def session(master: str) -> Any:
    """A Spark session of our own; the executors run this very Python."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("The Spark engine", "spark") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master.startswith("local"):  # no network name is needed, and looking one up may fail
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if master.startswith("local-cluster"):
        import pyspark

        os.environ.setdefault("SPARK_HOME", str(Path(str(pyspark.__file__)).parent))
    builder = SparkSession.builder.master(master).appName("privpac")
    small = re.fullmatch(r"local-cluster\[\d+,\d+,(\d+)\]", master)
    if small:  # a worker of this many megabytes has room for an executor of as many
        builder = builder.config("spark.executor.memory", f"{small.group(1)}m")
    return builder.config("spark.ui.enabled", "false").getOrCreate()


class SparkRunner:
    """Runs tasks as one Spark job, a partition a task; the package travels with the first of them."""

    def __init__(self, spark: Any) -> None:
        self._context = spark.sparkContext
        package = _package()
        if not any(Path(file).name == Path(package).name for file in self._context.listFiles):
            self._context.addPyFile(package)

    def __call__(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterable[Any]:
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        job = self._context.parallelize(list(tasks), max(1, len(tasks))).map(_guard(function))
        try:
            results = job.collect()
        except (Py4JJavaError, PySparkException):
            results = None  # its message may quote records
        if results is None:
            raise DataError(
                "The Spark job failed on its executors.",
                remedy="See the executors' own logs; every executor must see the files under the same path.",
            )
        for result in results:
            if isinstance(result, _Refused):
                raise DataError(result.sentence)
            yield result


class _Refused:
    """A sentence for the person who started the job: what is wrong with the records, as the memory engine says it."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence


def _guard(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(task: object) -> Any:
        from privpac.errors import PrivpacError

        try:
            return function(task)
        except PrivpacError as problem:  # wrong input: running it again on another executor would not help
            return _Refused(str(problem))
        finally:
            forget_archives()

    return run


def forget_archives() -> None:
    """Let go of the directories of zip files that imports have read.

    Before every task Spark has each of them, one per imported package, read again: a tenth of a second for nothing. An
    import that needs one opens it anew.
    """
    for place, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter):
            sys.path_importer_cache.pop(place, None)


@cache
def _package() -> str:
    """The package as a zip file, so that executors run the version that certifies; made once."""
    root = Path(__file__).resolve().parents[2]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(root.rglob("*.py")):
            archive.write(path, Path(root.name) / path.relative_to(root))
    folder = tempfile.mkdtemp(prefix="privpac-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    target = Path(folder) / "privpac.zip"
    target.write_bytes(content.getvalue())
    return str(target)


def spark_sample(table: Any, schema: Schema, *, spark: Any) -> ShardedSample:
    """The records of a DataFrame, or of files named by a path, a folder or a pattern."""
    if not is_spark_frame(table):
        return ShardedSample.of(files_at(table), schema, run=SparkRunner(spark))
    folder = tempfile.mkdtemp(prefix="privpac-")  # readable by its owner only
    try:
        columns = [*schema.names, schema.label]
        missing = [name for name in columns if name not in table.columns]
        if missing:
            raise DataError(f"The DataFrame has no column '{missing[0]}'.", column=missing[0])
        table.select(*[table[f"`{name}`"] for name in columns]).write.mode("overwrite").parquet(folder)
        sample = ShardedSample.of(files_at(folder), schema, run=SparkRunner(spark))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(sample, shutil.rmtree, folder, ignore_errors=True)
    return sample
