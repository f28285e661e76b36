"""The files of `deploy/`, each given to the program it is for: nginx, Caddy, Prometheus, systemd, a clean folder.

What a program reads is the file as it stands, with ports, certificates and folders of the test put into it. A program
that is not installed here is not asked; what can be read without it is.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.service.asking import row
from tests.service.conftest import made_bundle
from tests.service.running import MAIN, PATIENCE, asked, command, free_port, running, wait_until_ready
from tests.slow.postgres import postgres_server

__all__ = ["made_bundle"]

DEPLOY = Path(__file__).parents[2] / "deploy"
HOST = "answers.example.org"


def installed(*names: str) -> bool:
    return all(shutil.which(name) for name in names)


@pytest.fixture
def service(made_bundle: Path, tmp_path: Path) -> Iterator[tuple[int, str]]:
    """A running service: its port, and a key."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    with running(made_bundle, url, "--epsilon", "50", "--json", log=tmp_path / "log") as (address, _):
        made = command("keys", "create", "--role", "analyst", "--ledger", url, "--json")
        yield int(address.rpartition(":")[2]), str(json.loads(made.stdout)["key"])


@contextmanager
def started(*arguments: str | Path, port: int) -> Iterator[None]:
    process = subprocess.Popen([str(argument) for argument in arguments])
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


def ask(port: int, path: str, key: str = "", body: Any = None) -> int:
    """The status of a request through a proxy whose certificate nobody signed."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    content = None if body is None else json.dumps(body).encode()
    headers = {"Host": HOST, "Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"https://127.0.0.1:{port}{path}", content, headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE, context=context) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def passes_only_questions(port: int, key: str) -> None:
    assert ask(port, "/v1/predict", key, {"rows": [row(1)]}) == 200
    assert ask(port, "/v1/schema", key) == 200
    assert ask(port, "/v1/schema", "wrong") == 401
    for inside in ("/metrics", "/healthz", "/readyz", "/openapi.json"):
        assert ask(port, inside, key) == 404


def test_nginx_ends_tls_and_passes_only_questions(service: tuple[int, str], tmp_path: Path) -> None:
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    assert text.count("{") == text.count("}")
    if not installed("nginx", "openssl"):
        return
    (behind, key), port = service, free_port()
    certificate(tmp_path)
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{behind}").replace(
        "listen 443", f"listen 127.0.0.1:{port}"
    )
    text = re.sub(r"/etc/letsencrypt/live/[^/]+", str(tmp_path), text)
    config = tmp_path / "nginx.conf"
    temporary = "".join(
        f"{kind}_temp_path {tmp_path}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config.write_text(
        f"daemon off;\npid {tmp_path}/nginx.pid;\nerror_log {tmp_path}/error.log;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}{text}}}\n",
        encoding="utf-8",
    )
    with started("nginx", "-p", tmp_path, "-c", config, "-e", tmp_path / "error.log", port=port):
        passes_only_questions(port, key)


def certificate(folder: Path) -> None:
    files = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    what = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={HOST}"]
    subprocess.run(["openssl", "req", *what, *files], check=True, capture_output=True)


def test_caddy_ends_tls_and_passes_only_questions(service: tuple[int, str], tmp_path: Path) -> None:
    """With a certificate of the test: left to itself, Caddy would ask an authority for one."""
    text = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    assert text.count("{") == text.count("}")
    if not installed("caddy", "openssl"):
        return
    (behind, key), port = service, free_port()
    certificate(tmp_path)
    site = f"https://{HOST}:{port} {{\n\ttls {tmp_path}/fullchain.pem {tmp_path}/privkey.pem"
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{behind}").replace(f"{HOST} {{", site)
    options = f"admin off\nauto_https off\ndefault_bind 127.0.0.1\ndefault_sni {HOST}\n"
    config = tmp_path / "Caddyfile"
    config.write_text(f"{{\n{options}}}\n{text}", encoding="utf-8")
    home = [f"{name}={tmp_path}" for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")]
    caddy = ["caddy", "run", "--adapter", "caddyfile", "--config", config]
    with started("env", *home, *caddy, port=port):
        passes_only_questions(port, key)


def test_the_composition_serves_from_a_database(made_bundle: Path, tmp_path: Path) -> None:
    """Its own commands, without a daemon: the ledger as its comment says, then what its service runs, until healthy."""
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    parts = yaml.safe_load(text)["services"]
    recipe = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^ENTRYPOINT (\[.+\])$", recipe, re.MULTILINE)
    (made,) = re.findall(r"--entrypoint privpac service (.+) \\\n#\s+(.+)\n", text)
    (address,) = [part for part in parts["service"]["command"] if part.startswith("postgresql")]
    assert address in made[1]
    assert parts["database"]["environment"]["POSTGRES_DB"] == address.rpartition("/")[2]
    with postgres_server() as server:
        command(*" ".join(made).replace(address, server.url).split())
        port = free_port()
        arguments = [
            argument.replace("/data/bundle", str(made_bundle))
            .replace(address, server.url)
            .replace("0.0.0.0", "127.0.0.1")
            for argument in [*json.loads(entry)[1:], *parts["service"]["command"], "--port", str(port)]
        ]
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, *arguments], stderr=subprocess.DEVNULL, text=True
        )
        try:
            wait_until_ready(f"http://127.0.0.1:{port}", process)
            made_key = command("keys", "create", "--role", "analyst", "--ledger", server.url, "--json")
            key = json.loads(made_key.stdout)["key"]
            assert asked(f"http://127.0.0.1:{port}/v1/predict", {"rows": [row(1)]}, key)[0] == 200
        finally:
            process.terminate()
            process.wait(PATIENCE)


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    text = (DEPLOY / "privpac.service").read_text(encoding="utf-8")
    assert "TimeoutStopSec=45" in text
    assert "UMask=0077" in text
    if not installed("systemd-analyze"):
        return
    unit, program = tmp_path / "privpac.service", tmp_path / "privpac"
    program.symlink_to(sys.executable)  # whose own path may have a space
    unit.write_text(text.replace("/opt/privpac/bin/privpac", str(program)), encoding="utf-8")
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert "privpac.service" not in checked.stderr, checked.stderr


def test_alerts_and_dashboard_ask_for_metrics_that_exist(made_bundle: Path, tmp_path: Path) -> None:
    """Whatever they name is among what the service tells; Prometheus itself reads the rules, where it is installed."""
    from privpac.service.watch.metrics import Metrics

    names = set()
    metrics = Metrics()
    metrics.request("/v1/predict", "POST", 200, 0.1)
    metrics.refused("ended")
    for line in metrics.text(1).decode().splitlines():  # type: ignore[arg-type]
        if not line.startswith("#"):
            names.add(re.match(r"\w+", line)[0])  # type: ignore[index]
    for file in ("alerts.yml", "grafana.json"):
        asked = set(re.findall(r"privpac_[a-z_]+", (DEPLOY / file).read_text(encoding="utf-8")))
        assert asked <= names, asked - names
    if installed("promtool"):
        subprocess.run(["promtool", "check", "rules", str(DEPLOY / "alerts.yml")], check=True)


def test_the_recipe_of_the_image_works_in_a_clean_folder(made_bundle: Path, tmp_path: Path) -> None:
    """Its own steps, without a daemon: what is copied is enough to install, and the command that it starts serves."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    source = tmp_path / "source"
    source.mkdir()
    root = DEPLOY.parent
    for line in re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE):
        *names, _ = line.split()
        for name in names:
            copy = shutil.copytree if (root / name).is_dir() else shutil.copy
            copy(root / name, source / name)  # type: ignore[operator]
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--target", str(target), str(source)], check=True)
    (entry,) = re.findall(r"^ENTRYPOINT (\[.+\])$", text, re.MULTILINE)
    (options,) = re.findall(r"^CMD (\[.+\])$", text, re.MULTILINE)
    arguments = [
        argument.replace("/data/bundle", str(made_bundle))
        .replace("/data", str(tmp_path))
        .replace("0.0.0.0", "127.0.0.1")
        for argument in [*json.loads(entry)[1:], *json.loads(options)]
    ]
    port = free_port()
    command_line = [sys.executable, "-m", "privpac", *arguments, "--epsilon", "5", "--port", str(port)]
    process = subprocess.Popen(
        command_line, env={"PYTHONPATH": str(target), "PATH": "/usr/bin:/bin"}, cwd=tmp_path
    )
    (check,) = re.findall(r'CMD \["python", "-c", "(import urllib.+)"\]$', text, re.MULTILINE)
    healthy = check.replace(":8000", f":{port}")
    try:
        end = time.monotonic() + PATIENCE
        while subprocess.run([sys.executable, "-c", healthy], capture_output=True, check=False).returncode:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.5)
    finally:
        process.terminate()
        process.wait(PATIENCE)
    assert (tmp_path / "ledger.db").stat().st_mode & 0o777 == 0o600
