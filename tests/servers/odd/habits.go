package odd

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// notes have their text in base64, and numbers as text.
func (s *server) notes(mux *http.ServeMux) {
	mux.HandleFunc("PUT /notes/{name}", func(w http.ResponseWriter, r *http.Request) {
		note, before := object(r), s.things[r.URL.Path]
		revision := 1
		if before != nil {
			n, err := strconv.Atoi(fmt.Sprint(before["revision"]))
			if err != nil {
				say(w, http.StatusInternalServerError, map[string]any{"message": err.Error()})
				return
			}
			revision = n + 1
		}
		note["revision"] = strconv.Itoa(revision)
		s.things[r.URL.Path] = note
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /notes/{name}", s.show)
	mux.HandleFunc("DELETE /notes/{name}", s.remove)
}

// jobs are called by POST alone, and every answer is a success.
func (s *server) jobs(mux *http.ServeMux) {
	mux.HandleFunc("POST /rpc", func(w http.ResponseWriter, r *http.Request) {
		call := object(r)
		with, _ := call["with"].(map[string]any)
		path := fmt.Sprint("/jobs/", with["number"])
		job := s.things[path]
		switch {
		case call["call"] == "job.find":
			var found any
			for at, thing := range s.things {
				if strings.HasPrefix(at, "/jobs/") && thing["title"] == with["title"] {
					found = thing
				}
			}
			say(w, http.StatusOK, map[string]any{"result": found})
		case call["call"] == "job.create" && with["title"] == "":
			say(w, http.StatusOK, map[string]any{"error": map[string]any{"code": "empty", "text": "a job needs a title"}})
		case call["call"] == "job.create":
			with["number"] = s.number("9007199254740993")
			s.things[fmt.Sprint("/jobs/", with["number"])] = with
			say(w, http.StatusOK, map[string]any{"result": with})
		case job == nil:
			say(w, http.StatusOK, map[string]any{"error": map[string]any{"code": "none", "text": "no such job"}})
		case call["call"] == "job.delete":
			delete(s.things, path)
			say(w, http.StatusOK, map[string]any{"result": nil})
		default:
			for name, value := range with {
				job[name] = value
			}
			say(w, http.StatusOK, map[string]any{"result": job})
		}
	})
}

// documents get another id by each change.
func (s *server) documents(mux *http.ServeMux) {
	put := func(w http.ResponseWriter, text any, version int) {
		id := s.number("doc-")
		doc := map[string]any{"id": id, "text": text, "version": version}
		s.things["/documents/"+id] = doc
		say(w, http.StatusCreated, doc)
	}
	mux.HandleFunc("POST /documents", func(w http.ResponseWriter, r *http.Request) { put(w, object(r)["text"], 1) })
	mux.HandleFunc("POST /documents/{id}/versions", func(w http.ResponseWriter, r *http.Request) {
		path := "/documents/" + r.PathValue("id")
		before := s.things[path]
		if before == nil {
			say(w, http.StatusNotFound, map[string]any{"message": "nothing here"})
			return
		}
		delete(s.things, path)
		put(w, object(r)["text"], before["version"].(int)+1)
	})
	mux.HandleFunc("GET /documents", s.search)
	mux.HandleFunc("GET /documents/{id}", s.show)
	mux.HandleFunc("DELETE /documents/{id}", s.remove)
}

// accounts are made of forms, and a delete only marks them, in a while.
func (s *server) accounts(mux *http.ServeMux) {
	mux.HandleFunc("POST /accounts", func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil || r.PostForm.Get("owner") == "" {
			say(w, http.StatusUnprocessableEntity, map[string]any{"message": "owner is missing in the form"})
			return
		}
		id := s.number("acc-")
		s.things["/accounts/"+id] = map[string]any{"id": id, "owner": r.PostForm.Get("owner"), "tags": r.PostForm["tags[]"], "state": "active"}
		say(w, http.StatusCreated, s.things["/accounts/"+id])
	})
	mux.HandleFunc("POST /accounts/{id}", func(w http.ResponseWriter, r *http.Request) {
		account := s.things[r.URL.Path]
		if account == nil || r.ParseForm() != nil {
			say(w, http.StatusNotFound, map[string]any{"message": "nothing here"})
			return
		}
		account["owner"] = r.PostForm.Get("owner")
		say(w, http.StatusOK, account)
	})
	mux.HandleFunc("GET /accounts", s.search)
	mux.HandleFunc("GET /accounts/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, r)
		if account := s.things[r.URL.Path]; account != nil && account["state"] == "closing" {
			account["state"] = "deleted"
		}
	})
	mux.HandleFunc("DELETE /accounts/{id}", func(w http.ResponseWriter, r *http.Request) {
		if account := s.things[r.URL.Path]; account != nil {
			account["state"] = "closing"
		}
		w.WriteHeader(http.StatusAccepted)
	})
}

// uploads begin with an answer that says, in Location, where the content goes.
func (s *server) uploads(mux *http.ServeMux) {
	mux.HandleFunc("POST /uploads", func(w http.ResponseWriter, r *http.Request) {
		id := s.number("up-")
		s.things["/uploads/"+id] = map[string]any{"id": id, "title": object(r)["title"]}
		w.Header().Set("Location", "/inbox/"+id+"?ticket=a%2Fb")
		say(w, http.StatusCreated, map[string]any{"id": id})
	})
	mux.HandleFunc("PUT /inbox/{id}", func(w http.ResponseWriter, r *http.Request) {
		upload := s.things["/uploads/"+r.PathValue("id")]
		content, err := io.ReadAll(r.Body)
		if err != nil || upload == nil || r.URL.Query().Get("ticket") != "a/b" {
			say(w, http.StatusForbidden, map[string]any{"message": "no ticket"})
			return
		}
		upload["sha256"], upload["location"] = fmt.Sprintf("%x", sha256.Sum256(content)), "/files/"+r.PathValue("id")
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /uploads/{id}", s.show)
	mux.HandleFunc("DELETE /uploads/{id}", s.remove)
}

// offers have the value of the program only if that pleases the server: a date in the past becomes
// the date of the request, and the terms are filled in. Changes are answered without a body.
func (s *server) offers(mux *http.ServeMux) {
	normalise := func(offer map[string]any) {
		if until, _ := offer["until"].(string); until < "2026" {
			offer["until"] = s.number("2026-01-0")
		}
		if offer["terms"] == nil {
			offer["terms"] = "standard"
		}
	}
	mux.HandleFunc("POST /offers", func(w http.ResponseWriter, r *http.Request) {
		offer := object(r)
		offer["id"] = s.number("off-")
		normalise(offer)
		s.things["/offers/"+offer["id"].(string)] = offer
		say(w, http.StatusCreated, map[string]any{"id": offer["id"]})
	})
	mux.HandleFunc("PATCH /offers/{id}", func(w http.ResponseWriter, r *http.Request) {
		offer := s.things[r.URL.Path]
		if offer == nil {
			say(w, http.StatusNotFound, map[string]any{"message": "nothing here"})
			return
		}
		for name, value := range object(r) {
			offer[name] = value
		}
		normalise(offer)
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /offers/{id}", s.show)
	mux.HandleFunc("DELETE /offers/{id}", s.remove)
}
