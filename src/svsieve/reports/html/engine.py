"""Pictures and libraries, made by an engine of JavaScript. Also a program of its own."""

from __future__ import annotations

import json
import sys
from typing import Any


def made(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the pictures asked for as SVG, and the libraries that the page needs as one script.

    Parameters
    ----------
    asked : dict
        `version` of Vega-Lite, `specs` of the pictures by name, `with_libraries`.
    """
    import vl_convert

    version = asked["version"]
    pictures = {
        name: str(vl_convert.vegalite_to_svg(spec, vl_version=version))
        for name, spec in asked["specs"].items()
    }
    if not asked["with_libraries"]:
        return {"pictures": pictures}
    snippet = "window.vegaEmbed = vegaEmbed;"
    bundle = vl_convert.javascript_bundle(snippet, vl_version=version)
    # A script ends at the first "</script", wherever that stands.
    return {"pictures": pictures, "libraries": bundle.replace("</script", "<\\/script")}


if __name__ == "__main__":
    json.dump(made(json.load(sys.stdin)), sys.stdout)
