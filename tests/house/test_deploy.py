"""The files in `deploy/`: each is read by a linter, and what they name exists in the application."""

from __future__ import annotations

import base64
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
import uvicorn
import yaml
from typer.core import TyperGroup
from typer.main import get_command
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from app.cli.draining import LEAVE_SECONDS
from app.cli.main import cli
from app.settings import DESCRIPTIONS, Settings, load_settings
from tests.api.served import api_document
from tests.serving import ROOT

DEPLOY = ROOT / "deploy"
BIN = Path(sys.executable).parent
UNITS = sorted((DEPLOY / "systemd").iterdir())
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSED = sorted(path.name for path in DEPLOY.glob("compose*.yaml"))
MANIFESTS = sorted(path.name for path in (DEPLOY / "kubernetes").iterdir())
PROXIED = sorted(path.name for path in DEPLOY.glob("Caddyfile*"))
SEVERAL = {"compose.cluster.yaml", "kubernetes cluster", "inview@.service"}
"""What deploys several processes, by its name in `all_variables`."""
NOT_OURS = {"PATH", "HOME", "PYTHONDONTWRITEBYTECODE", "REFLEX_WEB_WORKDIR", "FORWARDED_ALLOW_IPS"}
"""Variables of the machine, of Reflex and of uvicorn."""


def check(*command: str | Path, **environment: str) -> None:
    ran = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def compose(name: str = "compose.yaml") -> dict[str, Any]:
    """A file of Compose with a word in the place of each variable."""
    return yaml.safe_load(re.sub(r"\$\{\w+:\?[^}]*\}", "word", (DEPLOY / name).read_text()))


def manifests(name: str = "inview.yaml") -> dict[str, dict[str, Any]]:
    read = yaml.safe_load_all((DEPLOY / "kubernetes" / name).read_text())
    return {manifest["kind"]: manifest for manifest in read}


def pod(name: str = "inview.yaml") -> dict[str, Any]:
    of = manifests(name)
    return of.get("StatefulSet", of.get("Deployment", {}))["spec"]["template"]["spec"]


def container(name: str = "inview.yaml") -> dict[str, Any]:
    return pod(name)["containers"][0]


def image_environment() -> dict[str, str]:
    declared = re.search(r"^ENV ((?:.*\\\n)*.*)$", DOCKERFILE, re.MULTILINE)
    assert declared is not None
    return dict(pair.split("=", 1) for pair in declared[1].replace("\\\n", " ").split())


def unit_environment(unit: Path) -> dict[str, str]:
    lines = re.findall(r"^Environment=(.*)$", unit.read_text(), re.MULTILINE)
    return dict(pair.split("=", 1) for line in lines for pair in line.split())


# what linters say


def test_a_linter_finds_nothing_in_the_dockerfile() -> None:
    check(BIN / "hadolint", "--failure-threshold", "style", DEPLOY / "Dockerfile")


@pytest.mark.parametrize("name", COMPOSED)
def test_compose_knows_every_key(name: str) -> None:
    check(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / name)


@pytest.mark.parametrize("name", MANIFESTS)
def test_kubernetes_knows_every_field(name: str) -> None:
    check(BIN / "kubernetes-validate", "--strict", DEPLOY / "kubernetes" / name)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_takes_the_unit(unit: Path, tmp_path: Path) -> None:
    """The program and the folder of an installation are not here: the unit is read with those of this machine."""
    for each in UNITS:
        text = each.read_text().replace("/srv/inview/.venv/bin/inview", "/bin/true").replace("/srv/inview", "/")
        (tmp_path / each.name).write_text(text)

    ran = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / unit.name)],
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, [line for line in ran.stderr.splitlines() if str(tmp_path) in line]) == (0, []), ran.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit.suffix == ".service"], ids=lambda unit: unit.name)
def test_systemd_calls_the_exposure_of_a_service_small(unit: Path) -> None:
    check("systemd-analyze", "security", "--offline=true", "--threshold=20", unit)


@pytest.mark.skipif(shutil.which("caddy") is None, reason="caddy is not installed")
@pytest.mark.parametrize("name", PROXIED)
def test_the_proxy_takes_its_configuration(name: str, tmp_path: Path) -> None:
    check(
        *("caddy", "validate", "--adapter", "caddyfile", "--config", DEPLOY / name),
        INVIEW_NAME="chat.example.org",
        XDG_DATA_HOME=str(tmp_path),
        XDG_CONFIG_HOME=str(tmp_path),
    )


# what the files name


def all_variables() -> dict[str, dict[str, str]]:
    return {
        "Dockerfile": image_environment(),
        "compose.yaml": compose()["services"]["inview"]["environment"],
        "compose.cluster.yaml": compose("compose.cluster.yaml")["services"]["inview-1"]["environment"],
        "kubernetes": {entry["name"]: entry["value"] for entry in container()["env"]},
        "kubernetes cluster": {entry["name"]: entry["value"] for entry in container("cluster.yaml")["env"]},
        **{unit.name: unit_environment(unit) for unit in UNITS},
    }


def test_every_variable_is_a_setting() -> None:
    named = {name for variables in all_variables().values() for name in variables}

    assert {"INVIEW_HOST", "INVIEW_PUBLIC_URL", "INVIEW_DATA_DIR", "INVIEW_KEY_FILE"} <= named
    assert named - NOT_OURS - set(DESCRIPTIONS) == set()


def settings_in(file: str, key: Path) -> Settings:
    """As the application reads them: those of the image too, with a key file that is there."""
    within = {} if file.endswith(".service") else image_environment()
    given = {**within, **all_variables()[file], "INVIEW_PUBLIC_URL": "https://chat.example.org"}
    if file in SEVERAL:
        given["INVIEW_KEY_FILE"] = str(key)
        key.write_bytes(base64.urlsafe_b64encode(bytes(32)))
    return load_settings({name: value.replace("%i", "3001") for name, value in given.items() if name in DESCRIPTIONS})


@pytest.mark.parametrize("file", ["compose.yaml", "kubernetes", "inview.service", *sorted(SEVERAL)])
def test_people_have_to_sign_in_and_start_no_programs(file: str, tmp_path: Path) -> None:
    """As the application reads it: an image listens everywhere, and a service for its proxy alone."""
    settings = settings_in(file, tmp_path / "inview.key")

    assert (settings.accounts, settings.stdio_servers) == (True, False)
    assert settings.is_open_to_others == (not file.endswith(".service"))
    folders = {
        "kubernetes": "/data/inview",
        "kubernetes cluster": "/data/inview",
        "inview.service": "/var/lib/inview",
        "inview@.service": "/var/lib/inview/3001",
    }
    assert settings.data_dir == Path(folders.get(file, "/data"))


def test_every_port_is_the_one_the_application_listens_on() -> None:
    port = load_settings({}).port
    service, ports = manifests()["Service"], {each["name"]: each["containerPort"] for each in container()["ports"]}

    assert re.findall(r"^EXPOSE (.*)$", DOCKERFILE, re.MULTILINE) == [str(port)]
    assert f"http://127.0.0.1:{port}/" in DOCKERFILE
    assert compose()["services"]["proxy"]["environment"]["INVIEW_UPSTREAM"] == f"inview:{port}"
    assert f"{{$INVIEW_UPSTREAM:127.0.0.1:{port}}}" in (DEPLOY / "Caddyfile").read_text()
    assert ports == {"http": port}
    assert [each["targetPort"] for each in service["spec"]["ports"]] == ["http"]
    assert "ports" not in compose()["services"]["inview"]  # nobody gets past the proxy
    several = compose("compose.cluster.yaml")["services"]
    assert several["proxy"]["environment"]["INVIEW_UPSTREAMS"] == f"inview-1:{port} inview-2:{port}"
    assert [name for name, service in several.items() if "ports" in service] == ["proxy"]
    assert {each["name"]: each["containerPort"] for each in container("cluster.yaml")["ports"]} == {"http": port}
    assert [each["targetPort"] for each in manifests("cluster.yaml")["Service"]["spec"]["ports"]] == ["http"]


@pytest.mark.parametrize("name", MANIFESTS)
def test_every_probe_asks_a_route_that_exists(name: str) -> None:
    asked = container(name)
    probes = {name: asked[name]["httpGet"]["path"] for name in asked if name.endswith("Probe")}
    of_image = re.search(r"127\.0\.0\.1:\d+(/[\w/]+)", DOCKERFILE)
    routes = set(api_document()["paths"])

    assert of_image is not None
    assert probes == {
        "startupProbe": "/api/v1/health",
        "livenessProbe": "/api/v1/health",
        "readinessProbe": "/api/v1/ready",
    }
    assert {of_image[1], *probes.values()} <= routes


def test_every_command_exists_with_its_options() -> None:
    """Also those of the page that leads through an installation."""
    texts = [path.read_text() for path in [DEPLOY / "Dockerfile", *UNITS, ROOT / "docs" / "deploy.md"]]
    called = re.compile(r"""(?:bin/inview"?|inview inview|-- inview|inview-do|\["inview",) "?([a-z]+)([^`\n]*)""")
    used = {(name, rest) for text in texts for name, rest in called.findall(text)}
    known = cast("TyperGroup", get_command(cli)).commands

    assert {name for name, _ in used} == {"serve", "build", "backup", "restore", "verify", "doctor"}
    for name, rest in used:
        options = {option for parameter in known[name].params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= options, (name, rest)


def test_nothing_is_written_but_into_volumes_and_nobody_is_root() -> None:
    image = re.findall(r"^USER (\d+):(\d+)$", DOCKERFILE, re.MULTILINE)
    service, security = compose()["services"]["inview"], container()["securityContext"]
    mounts = [volume.split(":")[1] for volume in service["volumes"]]

    assert [pod()["securityContext"][key] for key in ("runAsUser", "runAsGroup")] == [int(part) for part in image[0]]
    assert int(image[0][0]) > 0
    assert (service["read_only"], service["cap_drop"], mounts) == (True, ["ALL"], ["/data", "/backups"])
    assert (security["readOnlyRootFilesystem"], security["capabilities"]) == (True, {"drop": ["ALL"]})
    assert {mount["mountPath"] for mount in container()["volumeMounts"]} == {"/data", "/backups", "/tmp"}

    several, pods = compose("compose.cluster.yaml")["services"]["inview-2"], container("cluster.yaml")
    assert [pod("cluster.yaml")["securityContext"][key] for key in ("runAsUser", "runAsGroup")] == [10001, 10001]
    assert (several["read_only"], several["cap_drop"]) == (True, ["ALL"])
    assert pods["securityContext"] == security
    assert [one["mountPath"] for one in pods["volumeMounts"] if one.get("readOnly")] == ["/run/secrets/inview"]


def test_several_processes_have_the_same_settings_and_a_folder_each() -> None:
    one, two = (dict(compose("compose.cluster.yaml")["services"][f"inview-{number}"]) for number in (1, 2))
    assert one.pop("depends_on") != two.pop("depends_on")
    assert one == two
    assert "/data" in one["volumes"]  # without a name: each has its own
    assert one["environment"]["INVIEW_KEY_FILE"] == f"/run/secrets/{one['secrets'][0]}"
    assert one["build"]["args"]["PACKAGES"] == "postgres"

    of_pods = pod("cluster.yaml")
    volumes = {volume["name"]: volume for volume in of_pods["volumes"]}
    (key,) = (mount["mountPath"] for mount in of_pods["containers"][0]["volumeMounts"] if mount["name"] == "key")
    assert volumes["data"]["emptyDir"] == {}
    assert all_variables()["kubernetes cluster"]["INVIEW_KEY_FILE"] == f"{key}/inview.key"

    template = (DEPLOY / "systemd" / "inview@.service").read_text()
    assert "LoadCredential=inview.key:" in template
    assert all_variables()["inview@.service"]["INVIEW_KEY_FILE"] == "%d/inview.key"


def test_the_unit_for_several_processes_protects_as_the_one_for_one_does() -> None:
    one, several = (
        (DEPLOY / "systemd" / name).read_text().split("UMask=", 1)[1] for name in ("inview.service", "inview@.service")
    )

    assert one == several


def seconds(text: object) -> int:
    return int(str(text).removesuffix("s"))


@pytest.mark.parametrize("file", sorted(SEVERAL))
def test_a_process_has_the_time_to_finish_its_replies(file: str, tmp_path: Path) -> None:
    unit = re.search(r"^TimeoutStopSec=(\d+)$", (DEPLOY / "systemd" / "inview@.service").read_text(), re.MULTILINE)
    assert unit is not None
    allowed = {
        "compose.cluster.yaml": compose("compose.cluster.yaml")["services"]["inview-1"]["stop_grace_period"],
        "kubernetes cluster": pod("cluster.yaml")["terminationGracePeriodSeconds"],
        "inview@.service": unit[1],
    }

    drains = settings_in(file, tmp_path / "inview.key").drain_seconds

    assert 60 <= drains <= seconds(allowed[file]) - 10  # what is saved and closed in the end takes some seconds


def test_proxies_hear_that_a_process_is_to_end_before_it_closes_its_port() -> None:
    probe = container("cluster.yaml")["readinessProbe"]
    proxy = re.search(r"health_interval (\d+)s", (DEPLOY / "Caddyfile.cluster").read_text())
    assert proxy is not None

    assert probe["periodSeconds"] * probe["failureThreshold"] < LEAVE_SECONDS
    assert int(proxy[1]) < LEAVE_SECONDS
    assert "health_uri /api/v1/ready" in (DEPLOY / "Caddyfile.cluster").read_text()


def test_pods_are_added_by_a_figure_that_the_application_tells() -> None:
    scaler = manifests("cluster.yaml")["HorizontalPodAutoscaler"]["spec"]
    (named,) = (one["pods"]["metric"]["name"] for one in scaler["metrics"] if one["type"] == "Pods")

    assert f'"{named.removeprefix("inview_")}", "gauge"' in (ROOT / "app" / "api" / "http" / "metrics.py").read_text()
    assert all_variables()["kubernetes cluster"]["INVIEW_METRICS"] == "on"
    assert scaler["minReplicas"] >= 2
    assert "replicas" not in manifests("cluster.yaml")["Deployment"]["spec"]  # applying it again scales nothing


def test_one_process_owns_the_database() -> None:
    assert manifests()["StatefulSet"]["spec"]["replicas"] == 1
    assert "deploy" not in compose()["services"]["inview"]


async def test_the_address_of_a_client_behind_the_proxy_is_the_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits and failed sign-ins are counted by address: without this they would all be the proxy's."""
    for file in ("compose.yaml", "compose.cluster.yaml", "kubernetes", "kubernetes cluster"):
        monkeypatch.setenv("FORWARDED_ALLOW_IPS", all_variables()[file]["FORWARDED_ALLOW_IPS"])
        seen: list[str] = []

        async def app(scope: Any, _receive: Any, _send: Any, seen: list[str] = seen) -> None:
            seen.append(scope["client"][0])

        trusted = uvicorn.Config(cast("Any", app)).forwarded_allow_ips
        proxied = ProxyHeadersMiddleware(cast("Any", app), trusted_hosts=trusted)
        for peer in ("172.19.0.3", "203.0.113.9"):
            headers = [(b"x-forwarded-for", b"198.51.100.7")]
            await proxied(
                cast("Any", {"type": "http", "client": (peer, 1), "headers": headers}), *cast("Any", (None, None))
            )

        assert seen == ["198.51.100.7", "203.0.113.9"]
