package supervisor

import (
	"errors"
	"slices"
	"strconv"
	"time"
)

// Request is a command for a supervisor.
type Request struct {
	// Path is the absolute path of the program. Args begin with the program's name. Env is
	// the complete environment, and Dir the working directory.
	Path, Dir string
	Args, Env []string
	// Grace is the time from SIGTERM to SIGKILL if the provider is gone.
	Grace time.Duration
	// Rules are the sandbox rules in JSON, or "".
	Rules string
	// Scratch are the folders that were made for the command. They are removed afterwards if
	// the provider is gone.
	Scratch []string
}

// Fields returns the fields of a frame with the request.
func (r Request) Fields() []string {
	fields := []string{
		r.Path, r.Dir, strconv.FormatInt(r.Grace.Milliseconds(), 10), r.Rules, strconv.Itoa(len(r.Scratch)), strconv.Itoa(len(r.Args)),
	}
	return slices.Concat(fields, r.Scratch, r.Args, r.Env)
}

// ParseRequest parses the fields of a frame.
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
	grace, err := parseMilliseconds(fields[2])
	if err != nil {
		return Request{}, errRequest
	}
	return Request{
		Path: fields[0], Dir: fields[1], Grace: grace, Rules: fields[3], Scratch: scratch, Args: rest[:args:args], Env: rest[args:],
	}, nil
}

var errRequest = errors.New("malformed request")

// Exit says how a command ended.
type Exit struct {
	// Code is the exit code. Signal is the signal that ended the command, or 0.
	Code, Signal int
	// Left says that background processes of the command remain, which the supervisor no
	// longer controls. It cannot serve another command.
	Left bool
	// Stuck is the number of processes that could not be ended.
	Stuck int
}

// Fields returns the fields of a frame with the exit.
func (e Exit) Fields() []string {
	left := "0"
	if e.Left {
		left = "1"
	}
	return []string{strconv.Itoa(e.Code), strconv.Itoa(e.Signal), left, strconv.Itoa(e.Stuck)}
}

// ParseExit parses the fields of a frame.
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

var errExit = errors.New("malformed exit")

func parseMilliseconds(text string) (time.Duration, error) {
	n, err := strconv.ParseInt(text, 10, 63)
	const most = int64(24 * time.Hour / time.Millisecond)
	return time.Duration(min(max(n, 0), most)) * time.Millisecond, err
}
