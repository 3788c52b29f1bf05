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

// StdinName is what diagnostics call a spec that came by standard input.
const StdinName = "<stdin>"

// reader reads the files of one document.
type reader struct{ *Document }

// Read reads a source's files to a syntax tree, nil where that fails.
func (d *Document) Read(src Input) *build.Instance {
	r := &reader{d}
	if src.Path == "-" {
		return r.stdin(src)
	}
	shown := filepath.Clean(src.Path)
	info, err := os.Stat(src.Path)
	if err != nil {
		r.unreadable(shown, err)
		return nil
	}
	switch {
	case info.IsDir():
		return r.folder(src, shown)
	case !info.Mode().IsRegular():
		r.Report(CodeUnreadableFile, diag.Range{File: shown}, Place{}, fmt.Sprintf("%s is neither a file nor a folder", shown),
			"A spec is a regular file (.cue, .yaml, .yml or .json), or the folder of a CUE package.")
		return nil
	}
	format := formatOf(src.Path)
	if format == "" {
		r.Report(CodeUnknownFormat, diag.Range{File: shown}, Place{}, fmt.Sprintf("%s is no spec by its name", shown),
			"A spec's file ends in .cue, .yaml, .yml or .json.")
		return nil
	}
	return r.file(src, shown, format)
}

// formatOf tells a file's format by its name, "" for none of ours.
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

// unreadable reports a file that cannot be had.
func (r *reader) unreadable(shown string, err error) {
	reason, detail := err.Error(), ""
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		reason = pathErr.Err.Error()
	}
	switch {
	case errors.Is(err, errTooLarge):
		r.Report(CodeFileTooLarge, diag.Range{File: shown}, Place{}, err.Error(), "Split the spec over files, or move data out of it.")
		return
	case errors.Is(err, fs.ErrNotExist):
		detail = "Give the path of a spec's file, or of the folder of a CUE package."
	case errors.Is(err, fs.ErrPermission):
		detail = "The file is there, but this user may not read it."
	}
	r.Report(CodeUnreadableFile, diag.Range{File: shown}, Place{}, fmt.Sprintf("cannot read %s: %s", shown, reason), detail)
}

// file loads one file alone.
func (r *reader) file(src Input, shown, format string) *build.Instance {
	t, dir := r.open(filepath.Dir(src.Path))
	if t == nil {
		return nil
	}
	// The file itself may be a link to anywhere; what it embeds may not.
	f, err := os.Open(src.Path)
	if err != nil {
		r.unreadable(shown, err)
		return nil
	}
	defer f.Close()
	content, err := t.readAll(f, shown)
	if err != nil {
		r.unreadable(shown, err)
		return nil
	}
	t.record(shown, content)
	name := path.Join(dir, filepath.Base(src.Path))
	return r.content(t, name, dir, content, format, src.Tags)
}

// stdin loads what came by standard input, as if it lay in the current folder.
func (r *reader) stdin(src Input) *build.Instance {
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
		r.unreadable(StdinName, err)
		return nil
	}
	t.record(StdinName, content)
	format := src.Format
	if format == "" {
		format = "cue"
	}
	return r.content(t, name, dir, content, format, src.Tags)
}

// content loads the text of one file, which lies over the tree.
func (r *reader) content(t *tree, name, dir string, content []byte, format string, tags []string) *build.Instance {
	shown := t.display(name)
	content, ok := r.text(shown, content)
	if !ok {
		return nil
	}
	switch format {
	case "cue":
		t.overlay[name] = content
		return r.cue(t, dir, "./"+path.Base(name), tags)
	case "yaml":
		return r.yaml(shown, content)
	case "json":
		return r.json(shown, content)
	default:
		r.Report(CodeUnknownFormat, diag.Range{File: shown}, Place{}, fmt.Sprintf("there is no format %q", format), diag.Remedy(format, []string{"cue", "yaml", "json"}))
		return nil
	}
}

// text checks that a source is text, makes its positions known, and drops what
// an editor may leave: a byte order mark, and the carriage returns of line
// ends, which CUE's text blocks do not take. Lines and columns stay as they are.
func (r *reader) text(shown string, content []byte) ([]byte, bool) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	src := r.Files.add(shown, content)
	if err := checkText(content); err != nil {
		r.Report(CodeNotText, src.span(0, 1), Place{}, fmt.Sprintf("%s is not text: %v", shown, err), "Save the file as UTF-8.")
		return nil, false
	}
	return content, true
}

// folder loads the CUE package of a folder.
func (r *reader) folder(src Input, shown string) *build.Instance {
	t, dir := r.open(src.Path)
	if t == nil {
		return nil
	}
	entries, err := os.ReadDir(src.Path)
	if err != nil {
		r.unreadable(shown, err)
		return nil
	}
	for _, e := range entries {
		if formatOf(e.Name()) == "cue" {
			return r.cue(t, dir, ".", src.Tags)
		}
	}
	r.Files.listed[shown] = true
	r.Report(CodeUnreadableFile, diag.Range{File: shown}, Place{}, fmt.Sprintf("there is no CUE file in %s", shown),
		"A folder is loaded as a CUE package. To load a YAML or JSON spec, give the file.")
	return nil
}

// open makes the tree of a folder, rooted where its CUE module is; dir is the
// folder's slash path in it.
func (r *reader) open(given string) (t *tree, dir string) {
	shown := filepath.Clean(given)
	abs, err := filepath.Abs(given)
	if err != nil {
		r.unreadable(shown, err)
		return nil, ""
	}
	rootDir := moduleRoot(abs)
	rel, err := filepath.Rel(rootDir, abs)
	if err != nil {
		r.unreadable(shown, err)
		return nil, ""
	}
	root, err := os.OpenRoot(rootDir)
	if err != nil {
		r.unreadable(shown, err)
		return nil, ""
	}
	r.Close = root.Close // what is embedded is read when CUE evaluates
	dir = filepath.ToSlash(rel)
	t = &tree{root: root, files: r.Files, overlay: map[string][]byte{}}
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
	if content, err := root.ReadFile("cue.mod/module.cue"); err == nil {
		t.module = moduleName(content)
	} else {
		t.overlay["cue.mod/module.cue"] = []byte("module: \"" + loneModule + "\"\nlanguage: version: \"v0.17.0\"\n")
	}
	return t, dir
}

// loneModule is the module of a spec that has none.
const loneModule = "spec.local"

// moduleName returns the path of the module that a module.cue declares, without its
// major version. What is wrong with the file, CUE reports when it loads.
func moduleName(content []byte) string {
	v := cuecontext.New().CompileBytes(content)
	name, err := v.LookupPath(cue.ParsePath("module")).String()
	if err != nil {
		return loneModule
	}
	name, _, _ = strings.Cut(name, "@")
	return name
}

// moduleRoot returns the nearest folder at or above dir that has a cue.mod, else dir.
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

// cue loads CUE files: one ("./x.cue") or the package of the folder (".").
func (r *reader) cue(t *tree, dir, arg string, tags []string) *build.Instance {
	cfg := &load.Config{
		FS:         t,
		FromFSPath: t.display,
		Dir:        "/" + strings.TrimPrefix(dir, "."),
		Tags:       tags,
		// No module is ever fetched.
		Env:       []string{"CUE_REGISTRY=none"},
		ParseFile: r.parseFile(t),
	}
	t.loading = true
	inst := load.Instances([]string{arg}, cfg)[0]
	t.loading = false
	if r.instanceErrors(inst) {
		return nil
	}
	return inst
}

// parseFile parses one file of the package or of an import, within the limits.
func (r *reader) parseFile(t *tree) func(string, any, parser.Config) (*ast.File, error) {
	return func(name string, src any, cfg parser.Config) (*ast.File, error) {
		content, err := contentOf(src)
		if err != nil {
			return nil, err
		}
		return r.parseCUE(t, name, content, cfg)
	}
}
