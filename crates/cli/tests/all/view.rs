//! `waymesh view`: what the local server gives, and what it does not.

use crate::common;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use common::{fail, hall};
use tempfile::TempDir;

/// A server that ends with the test.
struct Server {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(mut program: Command, folder: &Path) -> Server {
    let mut child = program.current_dir(folder).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("an address");
    let rest = line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/'));
    let (port, token) = rest.and_then(|rest| rest.split_once('/')).expect(&line);
    Server { child, port: port.parse().expect("a port"), token: token.to_owned() }
}

fn serve(folder: &Path, words: &[&str]) -> Server {
    let mut program = Command::new(env!("CARGO_BIN_EXE_waymesh"));
    program.arg("view").args(words);
    start(program, folder)
}

/// A folder with a level and a page.
fn folder_with_page() -> TempDir {
    let folder = hall();
    let page = folder.path().join("page");
    std::fs::create_dir_all(page.join("assets")).expect("a folder");
    std::fs::write(page.join("index.html"), "<title>page</title>").expect("a file");
    std::fs::write(page.join("assets/code.js"), "code").expect("a file");
    folder
}

impl Server {
    fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).expect("it listens")
    }

    /// Sends a request of any form and reads the whole answer.
    fn send(&self, request: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn ask(&self, method: &str, address: &str, host: &str) -> String {
        self.send(&format!("{method} /{}/{address} HTTP/1.1\r\nHost: {host}\r\n\r\n", self.token))
    }

    fn get(&self, address: &str) -> String {
        self.ask("GET", address, &format!("127.0.0.1:{}", self.port))
    }
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

fn has_header(answer: &str, name: &str, value: &str) -> bool {
    let head = answer.split("\r\n\r\n").next().unwrap_or_default();
    let mut headers = head.lines().filter_map(|line| line.split_once(": "));
    headers.any(|(found, text)| found.eq_ignore_ascii_case(name) && text.contains(value))
}

#[test]
fn the_page_and_the_file_are_served_and_nothing_else() {
    let folder = folder_with_page();
    let server = serve(folder.path(), &["hall.obj", "--page", "page"]);
    let index = server.get("");
    assert!(status(&index) == "200" && index.ends_with("<title>page</title>"), "{index}");
    assert!(has_header(&index, "content-security-policy", "frame-ancestors 'none'"), "{index}");
    let code = server.get("assets/code.js?v=1");
    assert!(has_header(&code, "content-type", "text/javascript") && code.ends_with("code"), "{code}");
    let about = |server: &Server| -> serde_json::Value {
        let answer = server.get("waymesh-view.json");
        let json = answer.split("\r\n\r\n").nth(1).expect("a body");
        serde_json::from_str(json).expect(json)
    };
    let found = about(&server);
    assert_eq!(found["name"], "hall.obj");
    assert_eq!(found["load"], serde_json::json!({ "up": "y", "scale": 1.0, "winding": "as_read" }));
    assert!(found["modified"].as_u64().is_some_and(|time| time > 1_700_000_000_000), "{found}");
    let words = ["hall.obj", "--page", "page", "--up", "z", "--scale", "0.5", "--two-sided"];
    let load = about(&serve(folder.path(), &words))["load"].clone();
    assert_eq!(load, serde_json::json!({ "up": "z", "scale": 0.5, "winding": "two_sided" }));
    let refused = fail(folder.path(), 1, &["view", "hall.obj", "--page", "page", "--scale", "0"]);
    assert!(refused.contains("scale"), "{refused}");
    assert!(server.get("waymesh-view.bin").ends_with(common::HALL));
    let head = server.ask("HEAD", "waymesh-view.bin", "localhost");
    assert!(
        status(&head) == "200" && has_header(&head, "content-length", &common::HALL.len().to_string()),
        "{head}"
    );
    assert!(head.ends_with("\r\n\r\n"), "{head}");
    for outside in
        ["../hall.obj", "assets/../../hall.obj", "/etc/passwd", "assets", "nothing.js", "%2e%2e/hall.obj"]
    {
        assert_eq!(status(&server.get(outside)), "404", "{outside}");
    }
    assert_eq!(status(&server.ask("POST", "", "localhost")), "405");
}

/// Other users of the machine can connect, but do not know the address.
#[test]
fn nothing_is_served_without_the_token() {
    let folder = folder_with_page();
    let server = serve(folder.path(), &["hall.obj", "--page", "page"]);
    assert_eq!(server.token.len(), 32);
    assert_ne!(server.token, serve(folder.path(), &["hall.obj", "--page", "page"]).token);
    let other = "0".repeat(32);
    for address in ["", "waymesh-view.bin", "index.html", &format!("{other}/waymesh-view.bin")] {
        let answer = server.send(&format!("GET /{address} HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        assert_eq!(status(&answer), "403", "{address}");
        assert!(answer.contains("the whole address that `waymesh view` printed"), "{answer}");
        assert!(!answer.contains("wall") && !answer.contains(&server.token), "{answer}");
    }
    let slash = server.send(&format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", server.token));
    assert!(status(&slash) == "308" && has_header(&slash, "location", &server.token), "{slash}");
}

/// A name that was changed to mean this machine is refused with the reason. A forwarded port is
/// fine.
#[test]
fn the_host_of_a_request_is_this_machine_by_any_port() {
    let folder = folder_with_page();
    let server = serve(folder.path(), &["hall.obj", "--page", "page"]);
    for host in ["127.0.0.1", "localhost:9000", "[::1]:80"] {
        assert_eq!(status(&server.ask("GET", "waymesh-view.bin", host)), "200", "{host}");
    }
    for host in ["evil.example", "localhost.evil.example:80", "192.168.1.7:8080", "@localhost@", ""] {
        let answer = server.ask("GET", "waymesh-view.bin", host);
        assert!(["421", "400"].contains(&status(&answer)) && !answer.contains("wall"), "{host}: {answer}");
    }
    let answer = server.ask("GET", "", "level.example:8080");
    assert!(status(&answer) == "421" && answer.contains("level.example:8080"), "{answer}");
    assert!(answer.contains("ssh -L"), "{answer}");
    let answer = server.send(&format!("GET /{}/ HTTP/1.0\r\n\r\n", server.token));
    assert_eq!(status(&answer), "421", "{answer}");
}

/// Whatever the level is, a browser saves it, and runs nothing in it.
#[test]
fn a_level_is_no_active_content() {
    let folder = folder_with_page();
    for name in ["level.svg", "level.html", "level.js", "level.xml", "level"] {
        std::fs::write(folder.path().join(name), "<svg onload='alert(1)'/>").expect("a file");
        let server = serve(folder.path(), &[name, "--page", "page"]);
        let answer = server.get("waymesh-view.bin");
        for (header, value) in [
            ("content-type", "application/octet-stream"),
            ("content-disposition", "attachment"),
            ("content-security-policy", "default-src 'none'; sandbox"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("cross-origin-resource-policy", "same-origin"),
            ("referrer-policy", "no-referrer"),
        ] {
            assert!(has_header(&answer, header, value), "{name}: {header}: {answer}");
        }
    }
}

/// Clients that say nothing or half a head, and those that read nothing, neither end the server
/// nor hold it.
#[test]
fn slow_clients_hold_nothing_for_ever() {
    let folder = folder_with_page();
    // More than the system keeps for a connection.
    std::fs::write(folder.path().join("large.obj"), vec![b'\n'; 32 << 20]).expect("a file");
    let server = serve(folder.path(), &["large.obj", "--page", "page"]);
    let mut slow: Vec<TcpStream> = (0..150).map(|_| server.connect()).collect();
    for (index, stream) in slow.iter_mut().enumerate() {
        match index % 3 {
            0 => {}
            1 => write!(stream, "GET /{}/ HTTP/1.1\r\nHost: loc", server.token).expect("it reads"),
            _ => drop(stream.write_all(&vec![b'a'; 100_000])),
        }
    }
    // Readers of a part, which stop.
    let mut readers: Vec<TcpStream> = (0..5).map(|_| server.connect()).collect();
    for stream in &mut readers {
        write!(stream, "GET /{}/waymesh-view.bin HTTP/1.1\r\nHost: localhost\r\n\r\n", server.token)
            .expect("it reads");
    }
    assert_eq!(status(&server.get("")), "200");
    // All of those that do not finish their heads are closed.
    for mut stream in slow {
        drop(stream.read_to_end(&mut Vec::new()));
    }
    #[cfg(target_os = "linux")]
    {
        let file = format!("/proc/{}/status", server.child.id());
        let text = std::fs::read_to_string(file).expect("a process");
        assert!(text.lines().any(|line| line.split_whitespace().eq(["Threads:", "1"])), "{text}");
    }
}

/// Without descriptors the server waits, instead of ending or spinning.
#[cfg(target_os = "linux")]
#[test]
fn a_server_without_descriptors_recovers() {
    let folder = folder_with_page();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 24; exec \"$0\" view hall.obj --page page", env!("CARGO_BIN_EXE_waymesh")]);
    let server = start(shell, folder.path());
    let idle: Vec<TcpStream> = (0..60).map(|_| server.connect()).collect();
    // Clock ticks of the processor in user mode and in the kernel (proc_pid_stat(5)).
    let ticks = || -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", server.child.id())).expect("a process");
        let fields = text.rsplit_once(") ").expect("a name").1.split(' ');
        fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum()
    };
    let before = ticks();
    std::thread::sleep(std::time::Duration::from_secs(3));
    assert!(ticks() - before < 50, "the server spins: {} ticks", ticks() - before);
    drop(idle);
    assert_eq!(status(&server.get("")), "200");
}

#[test]
fn only_plain_files_are_shown() {
    let folder = folder_with_page();
    let path = folder.path();
    let message = fail(path, 1, &["view", "level.glb", "--page", "page"]);
    assert!(message.contains("cannot read level.glb: there is no such file"), "{message}");
    let message = fail(path, 1, &["view", "page", "--page", "page"]);
    assert!(message.contains("cannot read page: it is a folder"), "{message}");
    #[cfg(unix)]
    {
        let made = Command::new("mkfifo").arg(path.join("pipe.obj")).status().expect("mkfifo");
        assert!(made.success());
        let message = fail(path, 1, &["view", "pipe.obj", "--page", "page"]);
        assert!(message.contains("pipe.obj is a pipe or a device"), "{message}");
    }
    let message = fail(path, 1, &["view", "-", "--page", "page"]);
    assert!(message.contains("standard input"), "{message}");
    let server = serve(path, &["hall.obj", "--page", "page"]);
    std::fs::remove_file(path.join("hall.obj")).expect("a file");
    assert_eq!(status(&server.get("waymesh-view.bin")), "404");
}

#[test]
fn the_folder_of_a_page_holds_plain_files() {
    let folder = folder_with_page();
    let path = folder.path();
    let message = fail(path, 1, &["view", "hall.obj", "--page", "nowhere"]);
    assert!(message.contains("nowhere holds no index.html"), "{message}");
    // The folder that one stands in is no place for a page.
    std::fs::create_dir_all(path.join("crates/wasm/viewer/dist")).expect("a folder");
    std::fs::write(path.join("crates/wasm/viewer/dist/index.html"), "other").expect("a file");
    if !Path::new(env!("CARGO_MANIFEST_DIR")).join("page/index.html").exists() {
        let message = fail(path, 1, &["view", "hall.obj"]);
        assert!(message.contains("built without the page") && message.contains("run ship"), "{message}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(path.join("hall.obj"), path.join("page/assets/link.obj")).expect("a link");
        let message = fail(path, 1, &["view", "hall.obj", "--page", "page"]);
        assert!(message.contains("link.obj is a link"), "{message}");
    }
}
