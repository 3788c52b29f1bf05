package serving

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/container"
)

// A variant of a binary is the same program, built with the drivers of a family of actions
// (actions.Family.Variant): declprov-sql, declprov-server-sql. A process that opens a
// spec with such a family becomes the variant.

// VariantTag returns the build tag with which a variant is built.
func VariantTag(variant string) string { return "declprov_" + variant }

// Program opens a compiled spec for use. If the spec needs a variant of this binary, the
// process becomes that variant, and runs with the same arguments from the beginning; Program
// then returns only if that fails.
func (t Tool) Program(c *container.Container) (*engine.Program, error) {
	p, missing, err := open(c)
	if err == nil && missing != "" {
		return nil, t.become(missing)
	}
	return p, err
}

// Describe opens a compiled spec to read what it declares. It may not run its actions.
func (t Tool) Describe(c *container.Container) (*engine.Program, error) {
	p, _, err := open(c)
	return p, err
}

// open opens a compiled spec. missing is the variant that it needs, unless this binary is it.
func open(c *container.Container) (p *engine.Program, missing string, err error) {
	if p, err = engine.Open(c, builtin.FamiliesOf); err != nil {
		return nil, "", fmt.Errorf("opening the compiled spec: %w", err)
	}
	if variant := builtin.Variant(p.Provider); variant != builtin.Built {
		missing = variant
	}
	return p, missing, nil
}

// become replaces this process by a variant.
func (t Tool) become(variant string) error {
	name := "declprov"
	if t.Evaluator != "" {
		name = ServerName
	}
	path, err := FindVariant(name, variant)
	if err != nil {
		return err
	}
	return fmt.Errorf("starting %s: %w", path, replaceProcess(path))
}

// ServerName is the name of the binary that only serves providers.
const ServerName = "declprov-server"

// FindVariant returns a variant of the binary with that name: the one in the folder of this
// binary, or else the one on the PATH.
func FindVariant(name, variant string) (string, error) {
	file := name + "-" + variant
	if runtime.GOOS == "windows" {
		file += ".exe"
	}
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", err
	}
	beside := filepath.Join(filepath.Dir(self), file)
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside, nil
	}
	if found, err := exec.LookPath(file); err == nil {
		return found, nil
	}
	return "", &MissingVariantError{Variant: variant, File: file, Folder: filepath.Dir(self)}
}

// MissingVariantError reports that a spec needs a variant that is not installed.
type MissingVariantError struct{ Variant, File, Folder string }

func (e *MissingVariantError) Error() string {
	return fmt.Sprintf("the spec uses the family %s, whose drivers are in %s: put it into %s or on the PATH (make build builds it)", e.Variant, e.File, e.Folder)
}

// errParameter explains that a base plugin cannot become a variant.
func errParameter(variant string) error {
	return fmt.Errorf("the spec uses the family %s, for which this base plugin has no drivers: install the one that has them, with `declprov-%s install --base`", variant, variant)
}
