// Package pages tests how a spec collects what a server gives page by page, and
// what its types say of the answers: testdata/shelf.cue.
package pages

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// library is a server with books, which it gives in pages of two unless it is
// asked for another size.
type library struct {
	URL string

	mu    sync.Mutex
	books []map[string]any
	asked []string
	// fail is a status that every request gets, unless it is 0.
	fail int
}

func open(t *testing.T, books int) *library {
	t.Helper()
	l := &library{}
	for i := range books {
		l.books = append(l.books, map[string]any{"id": fmt.Sprintf("b%d", i+1), "title": title(i)})
	}
	s := httptest.NewServer(l)
	t.Cleanup(s.Close)
	l.URL = s.URL
	return l
}

func title(i int) string { return fmt.Sprintf("Volume %d", i+1) }

// titles are those of the first n books.
func (l *library) titles(n int) []string {
	var list []string
	for i := range n {
		list = append(list, title(i))
	}
	return list
}

// requests are those since the last time.
func (l *library) requests() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.asked
	l.asked = nil
	return out
}

func (l *library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked := r.URL.Path
	if q := r.URL.Query(); len(q) > 0 {
		asked += "?" + q.Encode() // sorted
	}
	l.asked = append(l.asked, asked)
	w.Header().Set("Content-Type", "application/json")
	if l.fail != 0 {
		w.WriteHeader(l.fail)
		_, _ = w.Write([]byte(`{"message": "no"}`))
		return
	}
	from, size, next := l.window(r)
	to := min(from+size, len(l.books))
	page := map[string]any{"books": append([]map[string]any{}, l.books[min(from, to):to]...)}
	if to < len(l.books) {
		switch next {
		case "link":
			w.Header().Set("Link", fmt.Sprintf(`</link?from=%d>; rel="next", </link>; rel="first"`, to))
		case "cursor":
			page["next"] = l.books[to-1]["id"]
		}
	}
	// The other side may have gone; there is nobody to tell.
	_ = json.NewEncoder(w).Encode(page)
}

// window is which books a request is for, and how it learns where to go on.
func (l *library) window(r *http.Request) (from, size int, next string) {
	number := func(name string, otherwise int) int {
		n, err := strconv.Atoi(r.URL.Query().Get(name))
		if err != nil {
			return otherwise
		}
		return n
	}
	switch r.URL.Path {
	case "/link":
		return number("from", 0), 2, "link"
	case "/page":
		size = number("per_page", 2)
		return (number("page", 1) - 1) * size, size, ""
	case "/offset":
		return number("skip", 0), number("top", 2), ""
	default:
		after, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("after"), "b"))
		return after, 2, "cursor"
	}
}
