// Thing is the command of the model's specs: it carries a request to the API and
// ends as the proxy says. Its exit codes are what a command's author would choose:
// 44 is not there, 9 refused, 1 anything else.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

func main() { os.Exit(run()) }

func run() int {
	req, err := http.NewRequest(os.Args[1], os.Getenv("ENDPOINT")+os.Args[2], os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 9
	}
	req.Header.Set("X-Command", "yes")
	req.Header.Set("X-Slot", os.Getenv("SLOT"))
	req.Header.Set("X-Step", os.Getenv("STEP"))
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	how, what, _ := strings.Cut(res.Header.Get("X-Exit"), " ")
	switch how {
	case "kill":
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
	case "exit":
		fmt.Fprintln(os.Stderr, "it fails")
		code, _ := strconv.Atoi(what)
		return code
	case "print":
		fmt.Println(what)
		return 0
	}
	_, _ = os.Stdout.Write(body)
	switch {
	case res.StatusCode == 404 || res.StatusCode == 410:
		return 44
	case res.StatusCode >= 400 && res.StatusCode < 500:
		return 9
	case res.StatusCode >= 400:
		return 1
	}
	return 0
}
