package hostile

import (
	"encoding/json"
	"net/http"
	"strings"
)

// ArmFor is Arm for the requests about the object of that name alone, so that
// many faults strike side by side and each knows its own.
func (s *Server) ArmFor(name, method string, f Fault) { s.Arm(method+" of "+name, f) }

// Left is how many faults of ArmFor struck nobody yet.
func (s *Server) Left(name, method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.strikes[method+" of "+name])
}

// Forget takes back what Arm has armed for a method, or for one path.
func (s *Server) Forget(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.strikes, method)
}

// HangUp ends all connections: the next requests come over new ones.
func (s *Server) HangUp() { s.server.CloseClientConnections() }

// About is how many requests of a method were about the object of that name;
// "" is any method.
func (s *Server) About(name, method string) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Name == name && (method == "" || r.Method == method) {
			n++
		}
	}
	return n
}

// about is the name of the object that a request is about, which may be gone.
func (s *Server) about(r *http.Request, body []byte) string {
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

// strike takes the fault that a request meets; the zero one is none.
func (s *Server) strike(path string, r Request) Fault {
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
