package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec/stable"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
)

func listKind() *actions.Kind {
	return &actions.Kind{
		Name:    "list",
		Summary: "Lists the files in a directory.",
		Doc: `The items are sorted by path. A symbolic link is listed under its own path, with the members of its target, if the
permissions grant the target; directories are not searched through links. Files that the permissions do not grant,
that disappear meanwhile, or whose names are not valid UTF-8 are omitted.

If the directory does not exist, the result is *not found*.`,
		Args: []actions.Arg{
			pathArg("Directory to list."),
			listGlob(),
			listType(),
			declare.MaxBytes("Maximum size of `content` or `contentBase64` of each file. A larger file is an error."),
			declare.MaxValues("Maximum number of values in the list: items and their members. More are an error."),
			rootArg(),
		},
		Analyze: func(s actions.Static) actions.Facts { return lookFacts(s, listResult()) },
		Examples: []actions.Example{{
			Summary: "List all configuration files in a tree", Spec: `file: list: {path: "conf", glob: "**/*.yaml"}`,
			Files: map[string]string{"conf/a.yaml": "a: 1\n", "conf/d/b.yaml": "b: 2\n", "conf/README": "no\n"},
		}},
		Run: runList,
	}
}

func listGlob() actions.Arg {
	return declare.Option("glob", declare.NonEmpty(), "*",
		"Pattern for paths relative to the directory. `*`, `?` and `[…]` match within a name, `**` matches any number of folders.")
}

func listType() actions.Arg {
	return declare.Option("type", declare.OneOf("file", "directory"), "file", "What to list.")
}

// listResult returns a type whose items are like the result of read. Members that require
// reading a file are only present if the spec refers to them.
func listResult() *spec.Type {
	item := fileType()
	item.Field("path").Doc = "The path, which begins with that of the directory."
	for _, f := range item.Fields {
		if slices.Contains([]string{"sha256", "content", "contentBase64"}, f.Name) {
			f.Required = false
		}
	}
	item.Fields = append(item.Fields, declare.Member("asset", declare.Asset(), "The file as an asset, for an output or a request. If the spec refers to the asset, the file is read to compute its SHA-256."))
	item.Fields[len(item.Fields)-1].Required = false
	return declare.Object(
		declare.Member("path", declare.Text(), "The directory, as given."),
		declare.Member("items", declare.List(item), "The files or directories, sorted by path. Each path can be used as an argument."),
	)
}

// lister is one run of list.
type lister struct {
	ctx    context.Context
	files  *files.Files
	dir    string // the directory to list
	shown  string // the directory, as given
	glob   grant.Glob
	dirs   bool
	limit  int64
	wanted wantedMembers
	assets bool // the spec refers to the files as assets
	budget *decode.Budget
	items  []any
}

func runList(ctx context.Context, call *actions.Call) actions.Outcome {
	args := struct {
		location
		Glob     string        `arg:"glob"`
		Type     string        `arg:"type"`
		MaxBytes declare.Bytes `arg:"maxBytes"`
	}{Glob: "*"}
	if err := call.Decode(&args); err != nil {
		return actions.Refuse(err)
	}
	glob, err := grant.ParseGlob(args.Glob)
	if err != nil {
		return actions.Refuse(fmt.Errorf("glob %q: %w", args.Glob, err))
	}
	l := &lister{
		ctx: ctx, files: call.Env.Files, dir: args.fullPath(), shown: args.Path, glob: glob, dirs: args.Type == "directory",
		limit: int64(args.MaxBytes), wanted: wantedBy(call, "items."), budget: decode.NewBudget(call.MaxValues()), items: []any{},
	}
	l.assets = call.Asks("items.asset")
	l.wanted.sha256 = l.wanted.sha256 || l.assets
	if err := l.walk(""); err != nil {
		return lookFailure("list", err)
	}
	stable.Sort(l.items, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["path"].(string), b.(map[string]any)["path"].(string))
	})
	return actions.Succeed(map[string]any{"path": l.shown, "items": l.items})
}

// walk lists the folder `below`, which is relative to the directory.
func (l *lister) walk(below string) error {
	if err := context.Cause(l.ctx); err != nil {
		return err
	}
	entries, err := l.files.ReadDir(path.Join(l.dir, below))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !utf8.ValidString(e.Name()) {
			continue
		}
		rel := path.Join(below, e.Name())
		if l.glob.Match(rel) {
			if err := ignoreSkippable(l.add(rel)); err != nil {
				return err
			}
		}
		if e.IsDir() && l.mayMatchBelow(rel) {
			if err := ignoreSkippable(l.walk(rel)); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayMatchBelow reports whether the pattern can match something below the folder.
func (l *lister) mayMatchBelow(rel string) bool {
	return l.glob.Depth() < 0 || strings.Count(rel, "/")+1 < l.glob.Depth()
}

// ignoreSkippable returns nil for the error of a file that is not granted or has disappeared.
func ignoreSkippable(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

func (l *lister) add(rel string) error {
	at, shown := path.Join(l.dir, rel), path.Join(l.shown, rel)
	info, err := l.files.Stat(at)
	switch {
	case err != nil:
		return err
	case info.IsDir() && l.dirs:
		return l.addItem(attributes(shown, info))
	case !info.Mode().IsRegular() || l.dirs:
		return nil
	case !l.wanted.any():
		return l.addItem(attributes(shown, info))
	}
	item, err := readFile(l.ctx, l.files, shown, at, l.limit, l.wanted)
	if err == nil && l.assets {
		err = l.addAsset(item, at)
	}
	if err != nil {
		return err
	}
	return l.addItem(item)
}

// addAsset adds the file as an asset. Its path is absolute, because the host reads it later.
func (l *lister) addAsset(item map[string]any, at string) error {
	abs, err := l.files.AssetPath(at)
	hash, _ := item["sha256"].(string)
	item["asset"] = &spec.File{Path: abs, Hash: hash}
	return err
}

// addItem adds an item to the list.
func (l *lister) addItem(item map[string]any) error {
	var many *decode.TooManyError
	if errors.As(l.budget.Spend(1+len(item)), &many) {
		return fmt.Errorf("the list has more than the %d values that maxValues allows; raise maxValues, or list fewer files with glob", many.Limit)
	}
	l.items = append(l.items, item)
	return nil
}
