"""A scene in, a recording out: ``simulate``, the engine it drives, frames and report."""
