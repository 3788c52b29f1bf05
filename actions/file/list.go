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
		Doc: `The items are sorted by path. A symbolic link counts as what it points to, as far as that is permitted; a directory
is not walked into through one. What the permissions do not grant is left out, and so are what vanishes meanwhile
and names that are no UTF-8.

A directory that is not there is *not found*.`,
		Args: []actions.Arg{
			pathArg("Directory to list."),
			listGlob(),
			listType(),
			declare.MaxBytes("Most bytes of `content` or `contentBase64` of each file; a larger one is an error."),
			declare.MaxValues("Most values of the list, items and their members; more are an error."),
			root(),
		},
		Analyze: func(s actions.Static) actions.Facts { return looks(s, listResult()) },
		Examples: []actions.Example{{
			Summary: "All configuration files in a tree", Spec: `file: list: {path: "conf", glob: "**/*.yaml"}`,
			Files: map[string]string{"conf/a.yaml": "a: 1\n", "conf/d/b.yaml": "b: 2\n", "conf/README": "no\n"},
		}},
		Run: runList,
	}
}

func listGlob() actions.Arg {
	return declare.Option("glob", declare.NonEmpty(), "*",
		"Which of them, by the path from the directory on: `*`, `?` and `[…]` stay within a name, `**` is any number of folders.")
}

func listType() actions.Arg {
	return declare.Option("type", declare.OneOf("file", "directory"), "file", "What is listed.")
}

// listResult has items like read's result, with what costs a look into each
// file only where it is referred to item by item.
func listResult() *spec.Type {
	item := fileType()
	for _, f := range item.Fields {
		if slices.Contains([]string{"sha256", "content", "contentBase64"}, f.Name) {
			f.Required = false
		}
	}
	return declare.Object(
		declare.Member("path", declare.Text(), "The directory, as it was given."),
		declare.Member("items", declare.List(item), "What is there, sorted by path; each path begins with the directory's, so that it can be used as a path again."),
	)
}

// lister is one run of list.
type lister struct {
	ctx   context.Context
	files *files.Files
	at    string // the directory
	shown string // the same, as it was given
	glob  grant.Glob
	dirs  bool
	limit int64
	ask   asked
	left  *decode.Budget
	items []any
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
		ctx: ctx, files: call.Env.Files, at: args.place(), shown: args.Path, glob: glob, dirs: args.Type == "directory",
		limit: int64(args.MaxBytes), ask: askedOf(call, "items."), left: decode.NewBudget(call.MaxValues()), items: []any{},
	}
	if err := l.walk(""); err != nil {
		return looking("list", err)
	}
	slices.SortFunc(l.items, func(a, b any) int {
		return strings.Compare(a.(map[string]any)["path"].(string), b.(map[string]any)["path"].(string))
	})
	return actions.Succeed(map[string]any{"path": l.shown, "items": l.items})
}

// walk lists the folder below the directory, "" for the directory itself.
func (l *lister) walk(below string) error {
	if err := context.Cause(l.ctx); err != nil {
		return err
	}
	entries, err := l.files.ReadDir(path.Join(l.at, below))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !utf8.ValidString(e.Name()) {
			continue
		}
		rel := path.Join(below, e.Name())
		if l.glob.Match(rel) {
			if err := skippable(l.add(rel)); err != nil {
				return err
			}
		}
		if e.IsDir() && l.deeper(rel) {
			if err := skippable(l.walk(rel)); err != nil {
				return err
			}
		}
	}
	return nil
}

// deeper reports whether something below the folder can match.
func (l *lister) deeper(rel string) bool {
	return l.glob.Depth() < 0 || strings.Count(rel, "/")+1 < l.glob.Depth()
}

// skippable is nil for what is not permitted, or vanished while we looked.
func skippable(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

func (l *lister) add(rel string) error {
	at, shown := path.Join(l.at, rel), path.Join(l.shown, rel)
	info, err := l.files.Stat(at)
	switch {
	case err != nil:
		return err
	case info.IsDir() && l.dirs:
		return l.put(attributes(shown, info))
	case !info.Mode().IsRegular() || l.dirs:
		return nil
	case !l.ask.any():
		return l.put(attributes(shown, info))
	}
	item, err := readFile(l.ctx, l.files, shown, at, l.limit, l.ask)
	if err != nil {
		return err
	}
	return l.put(item)
}

// put adds an item to the list.
func (l *lister) put(item map[string]any) error {
	var many *decode.TooManyError
	if errors.As(l.left.Spend(1+len(item)), &many) {
		return fmt.Errorf("it has more than the %d values that maxValues allows; raise maxValues, or list fewer with glob", many.Limit)
	}
	l.items = append(l.items, item)
	return nil
}
