package source

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/load"
	"cuelang.org/go/cue/parser"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
)

// LanguageVersion is the version of CUE in which specs without a module are written.
const LanguageVersion = "v0.17.0"

// StdinName is the name of standard input in diagnostics.
const StdinName = "<stdin>"

// reader reads the files of one document.
type reader struct {
	*Document
	replaced map[string][]byte // see Input.Replaced
}

// Read reads the files of a source into a syntax tree. It returns nil if that fails.
func (d *Document) Read(src Input) *build.Instance {
	r := &reader{d, src.Replaced}
	if src.Path == "-" {
		return r.readStdin(src)
	}
	shown := filepath.Clean(src.Path)
	info, err := os.Stat(src.Path)
	if err != nil {
		r.reportUnreadable(shown, err)
		return nil
	}
	switch {
	case info.IsDir():
		return r.readFolder(src, shown)
	case !info.Mode().IsRegular():
		r.Report(CodeUnreadableFile, diag.Range{File: shown}, Place{}, fmt.Sprintf("%s is neither a file nor a folder", shown),
			"A spec is a regular file (.cue, .yaml, .yml or .json), or the folder of a CUE package.")
		return nil
	}
	format := formatOf(src.Path)
	if format == "" {
		r.Report(CodeUnknownFormat, diag.Range{File: shown}, Place{}, fmt.Sprintf("%s does not have the extension of a spec", shown),
			"Supported are .cue, .yaml, .yml and .json.")
		return nil
	}
	return r.readFile(src, shown, format)
}

// formatOf returns the format for the extension of a file name, or "".
func formatOf(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".cue":
		return "cue"
	case ".yaml", ".yml":
		return "yaml"
	case ".json":
		return "json"
	default:
		return ""
	}
}

// reportUnreadable reports a file that cannot be read.
func (r *reader) reportUnreadable(shown string, err error) {
	reason, detail := err.Error(), ""
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		reason = pathErr.Err.Error()
	}
	switch {
	case errors.Is(err, errTooLarge):
		r.Report(CodeFileTooLarge, diag.Range{File: shown}, Place{}, err.Error(), "Split the spec into several files, or move data out of it.")
		return
	case errors.Is(err, fs.ErrNotExist):
		detail = "Pass the path of a spec, or the folder of a CUE package."
	case errors.Is(err, fs.ErrPermission):
		detail = "The file exists, but you do not have permission to read it."
	}
	r.Report(CodeUnreadableFile, diag.Range{File: shown}, Place{}, fmt.Sprintf("cannot read %s: %s", shown, reason), detail)
}

// readFile loads a single file.
func (r *reader) readFile(src Input, shown, format string) *build.Instance {
	t, dir := r.open(filepath.Dir(src.Path))
	if t == nil {
		return nil
	}
	// The file itself may be a symbolic link to any place. The files that it embeds
	// may not.
	f, err := os.Open(src.Path)
	if err != nil {
		r.reportUnreadable(shown, err)
		return nil
	}
	defer f.Close()
	content, err := t.readAll(f, shown)
	if err != nil {
		r.reportUnreadable(shown, err)
		return nil
	}
	t.record(shown, content)
	name := path.Join(dir, filepath.Base(src.Path))
	return r.readContent(t, name, dir, content, format, src.Tags)
}

// readStdin loads a spec from standard input, as a file in the current folder.
func (r *reader) readStdin(src Input) *build.Instance {
	t, dir := r.open(".")
	if t == nil {
		return nil
	}
	display := t.display
	name := path.Join(dir, "stdin.cue")
	t.display = func(p string) string {
		if strings.TrimPrefix(p, "/") == name {
			return StdinName
		}
		return display(p)
	}
	content, err := t.readAll(bytes.NewReader(src.Stdin), StdinName)
	if err != nil {
		r.reportUnreadable(StdinName, err)
		return nil
	}
	t.record(StdinName, content)
	format := src.Format
	if format == "" {
		format = "cue"
	}
	return r.readContent(t, name, dir, content, format, src.Tags)
}

// readContent loads the text of one file, which the overlay of the tree contains.
func (r *reader) readContent(t *tree, name, dir string, content []byte, format string, tags []string) *build.Instance {
	shown := t.display(name)
	content, ok := r.decodeText(shown, content)
	if !ok {
		return nil
	}
	switch format {
	case "cue":
		t.overlay[name], t.alone = content, name
		if _, added := t.overlay[moduleFile]; added && !mayUseModule(content) {
			delete(t.overlay, moduleFile)
			t.withoutModule = true
		}
		return r.loadCUE(t, dir, "./"+path.Base(name), tags)
	case "yaml":
		return r.readYAML(shown, content)
	case "json":
		return r.readJSON(shown, content)
	default:
		r.Report(CodeUnknownFormat, diag.Range{File: shown}, Place{}, fmt.Sprintf("unknown format %q", format), diag.Remedy(format, []string{"cue", "yaml", "json"}))
		return nil
	}
}

// decodeText checks that a source is UTF-8 text and registers its positions. It removes a
// byte order mark and the carriage returns of line breaks, which CUE's multiline
// strings do not allow. Lines and columns do not change.
func (r *reader) decodeText(shown string, content []byte) ([]byte, bool) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	src := r.Files.add(shown, content)
	if err := checkText(content); err != nil {
		r.Report(CodeNotText, src.span(0, 1), Place{}, fmt.Sprintf("%s is not text: %v", shown, err), "Save the file as UTF-8.")
		return nil, false
	}
	return content, true
}

// readFolder loads the CUE package in a folder.
func (r *reader) readFolder(src Input, shown string) *build.Instance {
	t, dir := r.open(src.Path)
	if t == nil {
		return nil
	}
	entries, err := os.ReadDir(src.Path)
	if err != nil {
		r.reportUnreadable(shown, err)
		return nil
	}
	for _, e := range entries {
		if formatOf(e.Name()) == "cue" {
			return r.loadCUE(t, dir, ".", src.Tags)
		}
	}
	r.Files.listed[shown] = true
	r.Report(CodeUnreadableFile, diag.Range{File: shown}, Place{}, fmt.Sprintf("%s contains no CUE file", shown),
		"A folder is loaded as a CUE package. To load a YAML or JSON spec, pass the file.")
	return nil
}

// open returns the tree of a folder, rooted at the folder's CUE module. dir is the
// slash-separated path of the folder in the tree.
func (r *reader) open(given string) (t *tree, dir string) {
	shown := filepath.Clean(given)
	abs, err := filepath.Abs(given)
	if err != nil {
		r.reportUnreadable(shown, err)
		return nil, ""
	}
	rootDir := moduleRoot(abs)
	rel, err := filepath.Rel(rootDir, abs)
	if err != nil {
		r.reportUnreadable(shown, err)
		return nil, ""
	}
	root, err := os.OpenRoot(rootDir)
	if err != nil {
		r.reportUnreadable(shown, err)
		return nil, ""
	}
	r.Close = root.Close // embedded files are read during evaluation
	dir = filepath.ToSlash(rel)
	t = &tree{root: root, files: r.Files, overlay: map[string][]byte{}, replaced: r.replaced}
	t.display = func(p string) string {
		p = strings.TrimPrefix(path.Clean("/"+p), "/")
		inner, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(path.Clean(p)))
		if err != nil {
			inner = p
		}
		return filepath.Join(given, inner)
	}
	t.overlay[block.ModulePath+"/spec.cue"] = block.SchemaCUE
	t.module = loneModule
	if content, err := root.ReadFile(moduleFile); err == nil {
		t.module = moduleName(content)
	} else {
		t.overlay[moduleFile] = []byte("module: \"" + loneModule + "\"\nlanguage: version: \"" + LanguageVersion + "\"\n")
	}
	return t, dir
}

// loneModule is the module path of a spec without a module.
const loneModule = "spec.local"

// moduleFile is the file of the tree that declares its module.
const moduleFile = "cue.mod/module.cue"

// mayUseModule reports whether a file may import packages or embed files. For these, CUE needs a
// module. CUE checks the file of a module against all versions of their schema, which takes longer than to read most specs.
func mayUseModule(content []byte) bool {
	return bytes.Contains(content, []byte("import")) || bytes.Contains(content, []byte("@extern")) || bytes.Contains(content, []byte("@embed"))
}

// moduleName returns the path of the module that a module.cue declares, without its
// major version. CUE reports errors in the file when it loads it.
func moduleName(content []byte) string {
	v := cuecontext.New().CompileBytes(content)
	name, err := v.LookupPath(cue.ParsePath("module")).String()
	if err != nil {
		return loneModule
	}
	name, _, _ = strings.Cut(name, "@")
	return name
}

// moduleRoot returns the nearest folder at or above dir that contains cue.mod, or dir
// if there is none.
func moduleRoot(dir string) string {
	for d := dir; ; {
		if info, err := os.Stat(filepath.Join(d, "cue.mod")); err == nil && info.IsDir() {
			return d
		}
		parent := filepath.Dir(d)
		if parent == d {
			return dir
		}
		d = parent
	}
}

// loadCUE loads CUE files: a single file ("./x.cue") or the package in the folder (".").
func (r *reader) loadCUE(t *tree, dir, arg string, tags []string) *build.Instance {
	cfg := &load.Config{
		FS:         t,
		FromFSPath: t.display,
		Dir:        "/" + strings.TrimPrefix(dir, "."),
		Tags:       tags,
		// Modules are never downloaded.
		Env:       []string{"CUE_REGISTRY=none"},
		ParseFile: r.parseFile(t),
	}
	t.loading = true
	inst := load.Instances([]string{arg}, cfg)[0]
	t.loading = false
	if r.reportInstanceErrors(inst) {
		return nil
	}
	return inst
}

// parseFile returns a function that parses one file of the package or of an import,
// within the limits.
func (r *reader) parseFile(t *tree) func(string, any, parser.Config) (*ast.File, error) {
	return func(name string, src any, cfg parser.Config) (*ast.File, error) {
		content, err := contentOf(src)
		if err != nil {
			return nil, err
		}
		if t.withoutModule {
			cfg = cfg.Apply(parser.Version(LanguageVersion))
		}
		return r.parseCUE(t, name, content, cfg)
	}
}
