package hostile

import (
	"encoding/json"
	"net/http"
	"strings"
)

// ArmFor is Arm for requests about the object with the name, so that many faults can be armed
// concurrently.
func (s *Server) ArmFor(name, method string, f Fault) { s.Arm(method+" of "+name, f) }

// Left returns how often faults of ArmFor have not happened yet.
func (s *Server) Left(name, method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.strikes[method+" of "+name])
}

// Forget removes the faults that are armed for a method or path.
func (s *Server) Forget(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.strikes, method)
}

// HangUp closes all connections. The next requests use new ones.
func (s *Server) HangUp() { s.server.CloseClientConnections() }

// About returns the number of requests about the object with the name; method "" is any
// method.
func (s *Server) About(name, method string) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Name == name && (method == "" || r.Method == method) {
			n++
		}
	}
	return n
}

// nameOf returns the name of the object that a request is about. The object may no longer
// exist.
func (s *Server) nameOf(r *http.Request, body []byte) string {
	rest, ok := strings.CutPrefix(r.URL.Path, "/things")
	if !ok {
		return ""
	}
	if name, ok := strings.CutPrefix(rest, "/named/"); ok {
		return name
	}
	if id := strings.TrimPrefix(rest, "/"); id != "" {
		return s.names[id]
	}
	var o struct{ Name string }
	if json.Unmarshal(body, &o) != nil {
		return ""
	}
	return o.Name
}

// takeFault returns the fault for a request, or the zero Fault.
func (s *Server) takeFault(path string, r Request) Fault {
	target := r.Method
	if !strings.HasPrefix(path, "/things") {
		target += " " + path
	}
	for _, target := range []string{r.Method + " of " + r.Name, target} {
		if armed := s.strikes[target]; len(armed) > 0 {
			s.strikes[target] = armed[1:]
			return armed[0]
		}
	}
	return Fault{}
}
