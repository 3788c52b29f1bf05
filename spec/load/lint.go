package load

import "cuelang.org/go/cue/build"

func (l *loader) lint(inst *build.Instance) {}
