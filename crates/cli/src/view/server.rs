//! The server: hyper on one thread, so that neither connections nor slow clients cost threads.

use std::convert::Infallible;
use std::fs::File;
use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::uri::Authority;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::Semaphore;

use super::page::Page;

/// Most connections at a time; others wait. A browser opens six.
const CONNECTIONS: usize = 64;
/// Longest time until the head of a request is complete.
const HEAD_LIMIT: Duration = Duration::from_secs(10);
/// Longest time of a request and its answer, without the time of the content.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);
/// Slowest client that gets all of the content, in bytes a second: a forwarded port on a slow line.
const BYTES_PER_SECOND: u64 = 64 << 10;
/// Largest head of a request in bytes. A browser's has a few hundred.
const HEAD_BYTES: usize = 16 << 10;
/// Pause after a connection that could not be accepted, as without descriptors: a loop without it
/// spins.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);
/// Bytes of a file that are read at a time.
const CHUNK_BYTES: usize = 256 << 10;

/// Addresses that the page requests: the name of the file as JSON, when it was changed and how it
/// is read; and its content.
const NAME: &str = "waymesh-view.json";
const CONTENT: &str = "waymesh-view.bin";

/// Policy for the page: its own scripts, styles and workers, and WebAssembly.
const PAGE_POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; worker-src 'self' blob:; connect-src 'self' data: blob:; object-src 'none'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Policy for all other answers: nothing runs, whatever a browser takes them for.
const CONTENT_POLICY: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";

/// Everything that is served.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) page: Page,
    pub(crate) file: Option<PathBuf>,
    /// Options with which the page reads the file.
    pub(crate) load: serde_json::Value,
    /// First part of every address.
    pub(crate) token: String,
}

/// Serves until the program is ended.
pub(crate) fn serve(listener: TcpListener, site: Site) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.context("cannot start the server")?.block_on(accept(listener, Arc::new(site)))
}

async fn accept(listener: TcpListener, site: Arc<Site>) -> Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let slot = Arc::clone(&slots).acquire_owned().await?;
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!("a connection was not accepted: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let site = Arc::clone(&site);
        tokio::spawn(async move {
            let limit = site.time_limit();
            let service = service_fn(|request| {
                let answer = site.answer(&request);
                async { Ok::<_, Infallible>(answer) }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_LIMIT)
                .max_buf_size(HEAD_BYTES)
                .keep_alive(false)
                .serve_connection(TokioIo::new(stream), service);
            // A client that went away, or that is too slow, is no failure of the server.
            let _ = tokio::time::timeout(limit, connection).await;
            drop(slot);
        });
    }
}

impl Site {
    /// Longest time of a connection.
    fn time_limit(&self) -> Duration {
        let file = self.file.as_ref().and_then(|file| file.metadata().ok()).map_or(0, |data| data.len());
        ANSWER_LIMIT + Duration::from_secs(file.max(self.page.largest()) / BYTES_PER_SECOND)
    }

    fn answer(&self, request: &Request<Incoming>) -> Response<Content> {
        let is_head = request.method() == Method::HEAD;
        if !is_head && request.method() != Method::GET {
            let mut answer = refusal(
                StatusCode::METHOD_NOT_ALLOWED,
                format!(
                    "{} is not a method of this server, which only answers GET and HEAD.",
                    request.method()
                ),
            );
            answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return answer;
        }
        let mut answer = self.page_or_file(request);
        if is_head {
            *answer.body_mut() = Content::default();
        }
        answer
    }

    fn page_or_file(&self, request: &Request<Incoming>) -> Response<Content> {
        // A page of another host, whose name was changed to mean this machine, must not read the
        // file.
        if let Err(host) = local_host(request.headers()) {
            return refusal(
                StatusCode::MISDIRECTED_REQUEST,
                format!(
                    "This server answers to the hosts 127.0.0.1 and localhost, and the request names {host}. Open the \
                     address that `waymesh view` printed. From another machine, forward a port (ssh -L \
                     PORT:127.0.0.1:PORT) and open http://localhost:PORT/ with the token of that address."
                ),
            );
        }
        let path = request.uri().path().trim_start_matches('/');
        let (token, address) = path.split_once('/').unwrap_or((path, ""));
        if token != self.token {
            return refusal(
                StatusCode::FORBIDDEN,
                "The address lacks the token of this server. Open the whole address that `waymesh view` printed."
                    .to_owned(),
            );
        }
        match address {
            NAME => {
                let name = self.file.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy());
                let modified = self.file.as_deref().and_then(modified);
                let about = serde_json::json!({ "name": name, "modified": modified, "load": self.load });
                whole(StatusCode::OK, "application/json", CONTENT_POLICY, about.to_string().into())
            }
            CONTENT => self.file.as_deref().map_or_else(not_found, level),
            _ if !path.contains('/') => {
                let mut answer =
                    refusal(StatusCode::PERMANENT_REDIRECT, "The address ends in a slash.".to_owned());
                if let Ok(address) = HeaderValue::from_str(&format!("/{token}/")) {
                    answer.headers_mut().insert(header::LOCATION, address);
                }
                answer
            }
            _ => match self.page.file(address) {
                Some((bytes, kind)) => whole(StatusCode::OK, kind, PAGE_POLICY, bytes),
                None => not_found(),
            },
        }
    }
}

/// Checks that a request is for this machine, by whatever port: a forwarded one has another
/// number. Returns the named host if it is not.
fn local_host(headers: &HeaderMap) -> Result<(), String> {
    let Some(host) = headers.get(header::HOST) else { return Err("none".to_owned()) };
    let name = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
    let is_local = |name: &Authority| ["127.0.0.1", "localhost", "[::1]"].contains(&name.host());
    if name.as_ref().is_some_and(is_local) { Ok(()) } else { Err(format!("{host:?}")) }
}

/// An answer in words.
fn refusal(status: StatusCode, words: String) -> Response<Content> {
    whole(status, "text/plain; charset=utf-8", CONTENT_POLICY, format!("{words}\n").into())
}

fn not_found() -> Response<Content> {
    refusal(StatusCode::NOT_FOUND, "There is no such file.".to_owned())
}

fn whole(status: StatusCode, kind: &'static str, policy: &'static str, bytes: Bytes) -> Response<Content> {
    let length = bytes.len() as u64;
    response(status, kind, policy, length, Content { ready: bytes, file: None, left: length })
}

/// When a file was changed, in milliseconds since 1970: the page reads it again then.
fn modified(file: &Path) -> Option<u64> {
    let since = file.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

/// The level, as bytes to save: a browser runs no script in it, whatever the file is.
fn level(path: &Path) -> Response<Content> {
    // A pipe that took the place of the file would block the thread when it is opened.
    let is_file = path.metadata().is_ok_and(|data| data.is_file());
    let opened = if is_file {
        File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)))
    } else {
        return not_found();
    };
    match opened {
        Ok((length, file)) => {
            let content = Content { ready: Bytes::new(), file: Some(file), left: length };
            let mut answer =
                response(StatusCode::OK, "application/octet-stream", CONTENT_POLICY, length, content);
            answer.headers_mut().insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
            answer
        }
        Err(error) => {
            refusal(StatusCode::INTERNAL_SERVER_ERROR, format!("The level cannot be read: {error}."))
        }
    }
}

fn response(
    status: StatusCode,
    kind: &'static str,
    policy: &'static str,
    length: u64,
    content: Content,
) -> Response<Content> {
    let mut response = Response::new(content);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, length.into());
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        // The token is part of the address.
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    response
}

/// Body of an answer: bytes in memory, then bytes of a file.
#[derive(Debug, Default)]
struct Content {
    ready: Bytes,
    file: Option<File>,
    /// Bytes that were promised and not yet given.
    left: u64,
}

impl Body for Content {
    type Data = Bytes;
    type Error = std::io::Error;

    // Reads of a local file end soon enough to wait for them on the one thread.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut TaskContext<'_>,
    ) -> Poll<Option<std::io::Result<Frame<Bytes>>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let mut chunk = std::mem::take(&mut self.ready);
        if chunk.is_empty()
            && let Some(file) = &mut self.file
        {
            let mut bytes = Vec::new();
            if let Err(error) = file.take(CHUNK_BYTES as u64).read_to_end(&mut bytes) {
                return Poll::Ready(Some(Err(error)));
            }
            chunk = bytes.into();
        }
        // The file may have grown or shrunk since its length was promised.
        chunk.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
        if chunk.is_empty() {
            return Poll::Ready(Some(Err(std::io::ErrorKind::UnexpectedEof.into())));
        }
        self.left -= chunk.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
