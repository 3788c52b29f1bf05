package supervisor

import (
	"errors"
	"slices"
	"strconv"
	"time"
)

// Request is a command as a supervisor gets it.
type Request struct {
	// Path is the program, absolute. Args are its arguments from its own name on,
	// Env its whole environment, Dir where it starts.
	Path, Dir string
	Args, Env []string
	// Grace is the time from TERM to KILL where the provider is gone.
	Grace time.Duration
	// Rules are those of the sandbox that it is confined by, in JSON, or "".
	Rules string
	// Scratch are the folders that were made for it, which are removed after it
	// where the provider is gone.
	Scratch []string
}

// Fields are the request as a frame's.
func (r Request) Fields() []string {
	fields := []string{
		r.Path, r.Dir, strconv.FormatInt(r.Grace.Milliseconds(), 10), r.Rules, strconv.Itoa(len(r.Scratch)), strconv.Itoa(len(r.Args)),
	}
	return slices.Concat(fields, r.Scratch, r.Args, r.Env)
}

// ParseRequest is the request in a frame's fields.
func ParseRequest(fields []string) (Request, error) {
	const head = 6
	if len(fields) < head {
		return Request{}, errRequest
	}
	folders, err := strconv.Atoi(fields[head-2])
	rest := fields[head:]
	if err != nil || folders < 0 || folders > len(rest) {
		return Request{}, errRequest
	}
	scratch, rest := rest[:folders:folders], rest[folders:]
	args, err := strconv.Atoi(fields[head-1])
	if err != nil || args < 1 || args > len(rest) {
		return Request{}, errRequest
	}
	grace, err := milliseconds(fields[2])
	if err != nil {
		return Request{}, errRequest
	}
	return Request{
		Path: fields[0], Dir: fields[1], Grace: grace, Rules: fields[3], Scratch: scratch, Args: rest[:args:args], Env: rest[args:],
	}, nil
}

var errRequest = errors.New("the request is none")

// Exit is how a command ended.
type Exit struct {
	// Code is its exit code; Signal is the number of the one that ended it, or 0.
	Code, Signal int
	// Left says that it has left processes running in the background, which its
	// supervisor has let go: it serves no other command.
	Left bool
	// Stuck are the processes that could not be ended.
	Stuck int
}

// Fields are the exit as a frame's.
func (e Exit) Fields() []string {
	left := "0"
	if e.Left {
		left = "1"
	}
	return []string{strconv.Itoa(e.Code), strconv.Itoa(e.Signal), left, strconv.Itoa(e.Stuck)}
}

// ParseExit is the exit in a frame's fields.
func ParseExit(fields []string) (Exit, error) {
	var numbers [4]int
	if len(fields) != len(numbers) {
		return Exit{}, errExit
	}
	for i, f := range fields {
		n, err := strconv.Atoi(f)
		if err != nil {
			return Exit{}, errExit
		}
		numbers[i] = n
	}
	return Exit{Code: numbers[0], Signal: numbers[1], Left: numbers[2] == 1, Stuck: numbers[3]}, nil
}

var errExit = errors.New("the answer is none")

func milliseconds(text string) (time.Duration, error) {
	n, err := strconv.ParseInt(text, 10, 63)
	const most = int64(24 * time.Hour / time.Millisecond)
	return time.Duration(min(max(n, 0), most)) * time.Millisecond, err
}
