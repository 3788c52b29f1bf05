package functions

import (
	"path"
	"strings"

	"github.com/blang/semver"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// pathFunctions operate on paths, with forward slashes on every system, and on
// versions.
func pathFunctions() []*Function {
	return []*Function{
		def(eval.OfText, "basename(path: string) string", "The text after the last slash.", `basename("a/b.txt")`, `"b.txt"`, pathOf(path.Base)),
		def(eval.OfTextTimes(2), "dirname(path: string) string", "The text before the last slash; \".\" if there is none.", `dirname("a/b.txt")`, `"a"`, pathOf(path.Dir)),
		def(eval.OfTextTimes(2), "joinpath(part...: string) string", "The parts joined with slashes, with . and .. resolved.", `joinpath("a", "../b", "c")`, `"b/c"`, fnJoinPath),
		def(eval.OfText, "semver(a: string, op: string, b: string) bool", `Compares two versions: op is <, <=, =, ==, !=, >=, >, or "in" for a range such as ">=1.2.0 <2.0.0".`, `semver("1.10.0", ">", "v1.9.1")`, `true`, fnSemver).withType(typeOfSemver),
	}
}

func pathOf(f func(string) string) operation {
	return func(r *eval.Run, a args) (any, error) {
		s := a.text(0)
		return f(s), r.Read(s)
	}
}

func fnJoinPath(r *eval.Run, a args) (any, error) {
	parts := make([]string, len(a))
	size := 0
	for i := range a {
		parts[i] = a.text(i)
		size += len(parts[i]) + 1
	}
	if err := r.Grow(size); err != nil {
		return nil, err
	}
	return path.Join(parts...), nil
}

// satisfies reports whether the order of two versions satisfies an operator, and whether
// the operator is known.
func satisfies(op string, order int) (ok, known bool) {
	switch op {
	case "<":
		return order < 0, true
	case "<=":
		return order <= 0, true
	case "=", "==":
		return order == 0, true
	case "!=":
		return order != 0, true
	case ">=":
		return order >= 0, true
	case ">":
		return order > 0, true
	default:
		return false, false
	}
}

// parseVersion parses a version, including common short forms: v1, 1.2.
func parseVersion(s string) (semver.Version, error) {
	v, err := semver.ParseTolerant(s)
	if err != nil {
		return v, eval.Faultf("%s is not a version: %s", eval.Quote(s), eval.Quoted(parse.LowerFirst(strings.ReplaceAll(err.Error(), "\n", " "))))
	}
	return v, nil
}

// maxVersion is the maximum length of a version, or of a range of versions, in bytes.
const maxVersion = 1 << 10

func fnSemver(_ *eval.Run, a args) (any, error) {
	texts := [...]string{a.text(0), a.text(1), a.text(2)}
	for _, s := range texts {
		if len(s) > maxVersion {
			return nil, eval.Faultf("semver: expected a version or range of at most %d bytes, got %d", maxVersion, len(s))
		}
	}
	v, err := parseVersion(texts[0])
	if err != nil {
		return nil, err
	}
	if texts[1] == "in" {
		in, err := semver.ParseRange(texts[2])
		if err != nil {
			return nil, eval.Faultf("%s is not a range of versions: %s", eval.Quote(texts[2]), eval.Quoted(parse.LowerFirst(err.Error())))
		}
		return in(v), nil
	}
	w, err := parseVersion(texts[2])
	if err != nil {
		return nil, err
	}
	ok, known := satisfies(texts[1], v.Compare(w))
	if !known {
		return nil, eval.Faultf("semver supports <, <=, =, ==, !=, >=, > or in, not %s", eval.Quote(texts[1]))
	}
	return ok, nil
}

func typeOfSemver(cl *check.Call) check.TypedPart {
	for _, lit := range types.Literals(types.Resolve(cl.Args[1].T, cl.Types)) {
		op, _ := lit.(string)
		if _, known := satisfies(op, 0); !known && op != "in" {
			cl.Fail(check.CodeWrongArgument, cl.Args[1].At, "", "semver supports <, <=, =, ==, !=, >=, > or in, not %s", types.DescribeValue(lit))
		}
	}
	return check.TypedPart{T: types.Bool()}
}
