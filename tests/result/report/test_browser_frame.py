"""The page in a notebook's cell: in Jupyter's document, and in the sandbox in which VS Code shows outputs."""

import html
import json

import pytest

pytestmark = pytest.mark.xdist_group("browser")
# What VS Code's notebooks put around an output: a sandboxed frame, and with `notebook.experimental.enableCsp` a policy.
SANDBOX = "allow-scripts allow-same-origin allow-forms allow-pointer-lock allow-downloads"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline';"
    "img-src https: http: data:; font-src https:; connect-src https:; child-src https: data:;"
)
CELL = """<!doctype html><html><head>{policy}</head><body><div id="cell"></div>
<script type="application/json" id="output">{output}</script>
<script>
document.getElementById("cell").innerHTML = JSON.parse(document.getElementById("output").textContent);
const timer = setInterval(() => {{
  if (document.querySelector("iframe").contentDocument?.documentElement?.dataset.ready !== "true") return;
  clearInterval(timer);
  top.document.documentElement.dataset.ready = "true";
}}, 20);
</script></body></html>"""


def jupyter(output):
    """Return a document with the output in it, as Jupyter does."""
    return CELL.format(policy="", output=output)


def vs_code(output):
    """Return a document with the output in a sandboxed frame of its own that has a policy."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    inner = html.escape(CELL.format(policy=policy, output=output))
    return f'<!doctype html><body><iframe sandbox="{SANDBOX}" srcdoc="{inner}"></iframe></body>'


@pytest.mark.parametrize(("around", "depth"), [(jupyter, 1), (vs_code, 2)])
def test_the_page_works_in_a_cell(open_page, make_result, tmp_path, around, depth):
    from dagscale.result.report.page import embedded_json

    shown = make_result(["a", "b", "c"], [(0, 1), (1, 2)]).show()._repr_html_()
    (tmp_path / "cell.html").write_text(around(embedded_json(shown)), encoding="utf-8")
    page = open_page(tmp_path / "cell.html")
    inside = "document" + ".querySelector('iframe').contentDocument" * depth
    assert page.run(f"{inside}.querySelectorAll('canvas').length") > 0
    page.run(f"{inside}.querySelector('#edge-table tbody tr').click()")
    assert page.run(f"{inside}.querySelectorAll('#detail .curve').length") == 1
    for kind in ("svg", "png", "csv"):
        page.run(f"{inside}.querySelector('[data-export={kind}]').click()")
    warned = ('"source": "security"', '"level": "warning"')  # of the sandbox itself, which is not ours
    page.events[:] = [one for one in page.events if not all(part in json.dumps(one) for part in warned)]
