package model

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/declprov/declprov/tests/model/specgen"
)

// Fault is one way in which an exchange goes wrong.
type Fault struct {
	Name string
	// After says that the request reaches the API, before or besides what goes
	// wrong.
	After bool
	// Status and Header are what the client gets in the place of a response.
	Status int
	Header [2]string
	// Body is its body; "" is a message.
	Body string
	// Break is how the connection ends: reset, closed, truncated, hang.
	Break string
	// Late is how long after the client has given up the request reaches the API.
	Late time.Duration
	// Redirect answers 303 to where the result is, and there 401 once.
	Redirect bool
	// Exit is the exit code of a command, Kill a signal's, in the place of the
	// command's own end.
	Exit int
	Kill bool
	// Certain says that the response tells the truth: nothing was done, and the
	// client may know.
	Certain bool
	// For says which specs it means anything for; nil is all. Step is the only
	// step that it means anything for, "" is all.
	For  func(*specgen.Spec) bool
	Step string
}

// late are the times of commits after the client has given up: within
// `consistency`, and long after it.
const (
	soon = 5 * time.Millisecond
	long = 120 * time.Millisecond
)

// httpFaults are those of requests.
func httpFaults() []Fault {
	all := []Fault{
		{Name: "reset before", Break: "reset"},
		{Name: "reset after", Break: "reset", After: true},
		{Name: "closed before", Break: "closed"},
		{Name: "closed after", Break: "closed", After: true},
		{Name: "hang before", Break: "hang"},
		{Name: "hang after", Break: "hang", After: true},
		{Name: "late commit", Break: "hang", Late: soon},
		{Name: "very late commit", Break: "hang", Late: long},
		{Name: "truncated after", Break: "truncated", After: true},
		{Name: "garbage after", After: true, Status: 200, Body: "<html>Welcome to the airport</html>"},
		{Name: "error inside 200 before", Status: 200, Body: `{"error":"the gateway is busy"}`, Certain: true, Step: "create", For: func(s *specgen.Spec) bool { return s.InBand != "" }},
		{Name: "error inside 200 after", After: true, Status: 200, Body: `{"error":"the disk is full"}`, Step: "create", For: func(s *specgen.Spec) bool { return s.InBand == "fail" }},
		{Name: "303 and 401", After: true, Redirect: true, For: func(s *specgen.Spec) bool { return s.Login }},
	}
	for _, status := range []int{408, 499, 500, 502, 503, 504} {
		for _, after := range []bool{false, true} {
			f := Fault{Name: fmt.Sprintf("%d before", status), Status: status, After: after}
			if after {
				f.Name = fmt.Sprintf("%d after", status)
			}
			all = append(all, f)
			if status == 503 {
				f.Name, f.Header = strings.Replace(f.Name, "503", "503 with Retry-After", 1), [2]string{"Retry-After", "0"}
				all = append(all, f)
			}
		}
	}
	for _, status := range []int{400, 403, 409, 423, 429} {
		all = append(all, Fault{Name: fmt.Sprintf("%d before", status), Status: status, Certain: true})
	}
	return all
}

// commandFaults are those of commands.
func commandFaults() []Fault {
	return []Fault{
		{Name: "exit 9 before", Exit: 9, Certain: true},
		{Name: "exit 1 before", Exit: 1},
		{Name: "exit 1 after", Exit: 1, After: true},
		{Name: "exit 75 before", Exit: 75},
		{Name: "exit 75 after", Exit: 75, After: true},
		{Name: "killed before", Kill: true},
		{Name: "killed after", Kill: true, After: true},
		{Name: "hang before", Break: "hang"},
		{Name: "hang after", Break: "hang", After: true},
		{Name: "late commit", Break: "hang", Late: soon},
		{Name: "garbage after", After: true, Status: 200, Body: "Segmentation fault (core dumped)"},
	}
}

// faultsOf are the faults that mean something for a spec.
func faultsOf(s *specgen.Spec) []Fault {
	all := httpFaults()
	if s.Method == specgen.Command {
		all = commandFaults()
	}
	return slices.DeleteFunc(all, func(f Fault) bool { return f.For != nil && !f.For(s) })
}

// Strike is bad luck that waits for a request of a command of the history.
type Strike struct {
	// Step and Nth say which: the nth request of that step; "start" is the
	// command's beginning.
	Step string
	Nth  int
	// Fault is what goes wrong with it; nil is nothing.
	Fault *Fault
	// Act is what somebody else does at that moment; see play.go. Before says that
	// it is before the request reaches the API, else it is after that.
	Act    string
	Before bool
}

func (s Strike) String() string {
	text := fmt.Sprintf("%s %d", s.Step, s.Nth)
	if s.Fault != nil {
		text += ": " + s.Fault.Name
	}
	if s.Act != "" {
		when := "after"
		if s.Before {
			when = "before"
		}
		text += ": " + s.Act + " " + when
	}
	return text
}
