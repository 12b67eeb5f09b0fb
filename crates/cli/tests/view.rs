//! `waymesh view`: what the local server gives, and what it does not.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::{fail, hall};

/// A server that ends with the test.
struct Server(Child, u16);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(folder: &Path, words: &[&str]) -> Server {
    let mut program = Command::new(env!("CARGO_BIN_EXE_waymesh"));
    let mut child = program
        .arg("view")
        .args(words)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("an address");
    let port = line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/'));
    Server(child, port.expect(&line).parse().expect("a port"))
}

impl Server {
    fn ask(&self, request: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.1)).expect("it listens");
        write!(stream, "{request} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, address: &str) -> String {
        self.ask(&format!("GET {address}"), &format!("127.0.0.1:{}", self.1))
    }
}

#[test]
fn the_page_and_the_file_are_served_and_nothing_else() {
    let folder = hall();
    let page = folder.path().join("page");
    std::fs::create_dir_all(page.join("assets")).expect("a folder");
    std::fs::write(page.join("index.html"), "<title>page</title>").expect("a file");
    std::fs::write(page.join("assets/code.js"), "code").expect("a file");
    let server = serve(folder.path(), &["hall.obj", "--page", "page"]);
    let index = server.get("/");
    assert!(index.starts_with("HTTP/1.1 200 OK\r\n") && index.ends_with("<title>page</title>"), "{index}");
    assert!(server.get("/assets/code.js?v=1").contains("text/javascript"));
    assert!(server.get("/waymesh-view.json").ends_with(r#"{"name":"hall.obj"}"#));
    assert!(server.get("/waymesh-view.bin").ends_with(common::HALL));
    let head = server.ask("HEAD /waymesh-view.bin", &format!("localhost:{}", server.1));
    assert!(
        head.contains("200 OK") && head.contains(&format!("Content-Length: {}", common::HALL.len())),
        "{head}"
    );
    assert!(head.ends_with("\r\n\r\n"));
    for outside in ["/../hall.obj", "/assets/../../hall.obj", "//etc/passwd", "/assets", "/nothing.js"] {
        assert!(server.get(outside).starts_with("HTTP/1.1 404"), "{outside}");
    }
    // Another page, by a name that was turned to this machine, and what is no reading.
    let rebound = server.ask("GET /waymesh-view.bin", &format!("evil.example:{}", server.1));
    assert!(rebound.starts_with("HTTP/1.1 400") && !rebound.contains("wall"), "{rebound}");
    assert!(server.ask("POST /", &format!("127.0.0.1:{}", server.1)).starts_with("HTTP/1.1 400"));
}

#[test]
fn what_is_missing_is_said_before_a_browser_asks() {
    let folder = hall();
    let message = fail(folder.path(), 1, &["view", "hall.obj"]);
    assert!(message.contains("the page is not built") && message.contains("npm run build"), "{message}");
    let message = fail(folder.path(), 1, &["view", "hall.obj", "--page", "nowhere"]);
    assert!(message.contains("nowhere holds no index.html"), "{message}");
    std::fs::write(folder.path().join("index.html"), "").expect("a file");
    let message = fail(folder.path(), 1, &["view", "level.glb", "--page", "."]);
    assert!(message.contains("cannot read level.glb"), "{message}");
}
