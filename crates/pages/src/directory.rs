//! The public directory for people and search engines: an index with search, a page for each listed agent, a sitemap and
//! `robots.txt`. Pages are rendered here, without scripts. Everything that an agent wrote is escaped, and shown without
//! invisible characters.

use axum::{extract::Request, http::HeaderName};
use posthouse_api::{views::agent::AgentUrls, views::agent::ShownAgent, wire::CardQueryText, wire::FormField};
use posthouse_app::agents::{search, search::IndexableCard, switches, view::AgentViewer};
use posthouse_app::limits::directory::DirectoryLimit;
use posthouse_domain::agent::{card::check_documentation_url, card_text::visible, search::LIMIT_DEFAULT};
use posthouse_domain::{Agent, CardQuery, InboxKind, Page, PageParameters, SECOND_MS, SearchedCards, Skill};
use posthouse_http::pages::dashboard::{accepts_html, no_route};
use posthouse_http::pages::style_policy::{FormTarget, style_policy};
use posthouse_http::prelude::*;
use posthouse_http::{pages::docs::html::escape, pages::link_page::HTML};
use serde_json::{Value, json};

use posthouse_operations::v1::{public::CACHED_S, public::named, public::shown};

/// Path of the index.
const INDEX: &str = "/directory";
/// The most pages in the sitemap: the limit of the protocol (sitemaps.org).
const SITEMAP_MAX: u32 = 50_000;
/// The style of all pages. The policy of the pages names its hash.
const STYLE: &str = ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:2rem auto;\
padding:0 1rem;color:#1b1b1f;background:#fff;overflow-wrap:anywhere}.text{white-space:pre-line}a{color:#1b4dd8}h1{line-height:1.2}ul{padding-left:1.2rem}li{margin:.4rem 0}code{font-size:.9em}\
.note{color:#55555e}input{font:inherit;padding:.3rem;width:60%}button{font:inherit;padding:.3rem .8rem}\
@media(prefers-color-scheme:dark){body{color:#e8e8ec;background:#16161a}a{color:#8fb0ff}.note{color:#a5a5b0}}";

pub(crate) fn routes() -> Vec<Route> {
    let page = |path, name, summary| {
        Operation::public(Method::Get, path, name)
            .summary(summary)
            .responds_with(200, Some(HTML))
            .responds_with(304, None)
            .behind_switch(switches::check_public)
            .counted_for(DirectoryLimit::Public)
    };
    const ERRORS: &[ErrorCode] = &[ErrorCode::RateLimited, ErrorCode::PublicDirectoryDisabled];
    vec![
        page(INDEX, "showDirectory", "Shows the public directory, with a search.")
            .errors(&[ErrorCode::InvalidCursor, ErrorCode::RateLimited, ErrorCode::PublicDirectoryDisabled])
            .page(index)
            .error_page(refused),
        page("/directory/{address}", "showAgent", "Shows the page of a listed agent.")
            .errors(&[ErrorCode::AgentNotFound, ErrorCode::RateLimited, ErrorCode::PublicDirectoryDisabled])
            .page(agent)
            .error_page(refused),
        Operation::public(Method::Get, "/sitemap.xml", "getSitemap")
            .summary("Returns the pages of listed agents that search engines may index.")
            .responds_with(200, Some("application/xml"))
            .responds_with(304, None)
            .errors(ERRORS)
            .behind_switch(switches::check_public)
            .counted_for(DirectoryLimit::Public)
            .page_in(sitemap),
        Operation::public(Method::Get, "/robots.txt", "getRobots")
            .summary("Returns what crawlers may read: the public directory, if it is switched on.")
            .responds_with(200, Some("text/plain; charset=utf-8"))
            .responds_with(304, None)
            .page(robots),
    ]
}

query! {
    /// The search and the page of the index.
    struct IndexQuery {
        /// A part of the name, the description, or the name or tag of a skill. Case is ignored. Empty for every agent.
        q: FormField<CardQueryText>,
        /// The cursor of the next page.
        cursor: FormField<Cursor>,
    }
}

/// The parts of a page: all are HTML, except the title, which is text.
struct PageParts {
    title: String,
    /// Further elements of the head.
    head: String,
    body: String,
    is_indexable: bool,
}

/// Returns text of an agent as HTML, isolated from the direction of the text around it.
fn shown_text(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<bdi>{}</bdi>", escape(&visible(text))) }
}

/// Returns text of an agent for an attribute or a title.
fn plain(text: &str) -> String {
    escape(&visible(text))
}

/// Encodes a query parameter.
fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// Returns JSON for a data block. No character can end the element or begin another one.
fn data_block(value: &Value) -> String {
    let mut json = value.to_string();
    for (character, code) in
        [("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u{2028}", "\\u2028"), ("\u{2029}", "\\u2029")]
    {
        json = json.replace(character, code);
    }
    format!("<script type=\"application/ld+json\">{json}</script>")
}

/// Returns the HTML of a page.
fn rendered(parts: &PageParts) -> Vec<u8> {
    let (title, head, body) = (plain(&parts.title), &parts.head, &parts.body);
    let robots = parts.robots();
    let text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"robots\" content=\"{robots}\"><title>{title}</title><style>{STYLE}</style>{head}</head>\
         <body>{body}</body></html>\n"
    );
    text.into_bytes()
}

/// Adds the fields of every page.
fn framed(parts: &PageParts, response: RouteResponse) -> RouteResponse {
    response.with(header::CONTENT_SECURITY_POLICY, style_policy(STYLE, FormTarget::Server)).with_fields([
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::VARY, "accept"),
        (HeaderName::from_static("x-robots-tag"), parts.robots()),
    ])
}

impl PageParts {
    const fn robots(&self) -> &'static str {
        if self.is_indexable { "index,follow" } else { "noindex,nofollow" }
    }
}

fn respond(request: &RequestInfo, parts: &PageParts) -> RouteResponse {
    framed(parts, RouteResponse::cached(request, CACHED_S, HTML, rendered(parts)))
}

/// Returns the page of a refusal.
fn refused(refusal: &Refusal) -> RouteResponse {
    let title = match refusal.code {
        ErrorCode::AgentNotFound | ErrorCode::NotFound => "Not found",
        ErrorCode::RateLimited => "Too many requests",
        ErrorCode::PublicDirectoryDisabled => "The directory is switched off",
        ErrorCode::InvalidRequest | ErrorCode::InvalidCursor => "This search is not possible",
        _ => "Something went wrong",
    };
    let back = match refusal.code {
        ErrorCode::PublicDirectoryDisabled => String::new(),
        _ => format!("<p><a href=\"{INDEX}\">Agent directory</a></p>"),
    };
    let body = format!("<h1>{title}</h1><p>{}</p>{back}", plain(&refusal.whole_message()));
    let parts = PageParts { title: title.to_owned(), head: String::new(), body, is_indexable: false };
    let response = framed(&parts, RouteResponse::typed(refusal.code.status(), HTML, rendered(&parts)));
    response.with(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))
}

/// Returns the response to a request below the directory that matches no route: a path with a slash at its end leads to
/// the page without it, and a browser gets a page.
pub fn unmatched(request: &Request) -> Option<RouteResponse> {
    let path = request.uri().path();
    if !path.strip_prefix(INDEX)?.starts_with('/') || !matches!(request.method().as_str(), "GET" | "HEAD") {
        return None;
    }
    let page = path.trim_end_matches('/');
    if page == path {
        let is_browser = accepts_html(request.headers());
        return is_browser.then(|| refused(&no_route(request)));
    }
    let query = request.uri().query().map(|query| format!("?{query}")).unwrap_or_default();
    let location = HeaderValue::from_str(&format!("{page}{query}")).ok()?;
    let moved = RouteResponse { status: StatusCode::PERMANENT_REDIRECT, ..RouteResponse::empty() };
    Some(moved.with(header::LOCATION, location))
}

async fn index(service: Arc<Service>, input: PageInput<IndexQuery>) -> Result<RouteResponse, Refusal> {
    let (text, cursor) = (input.query.q.0.map(|text| text.0.trim().to_owned()), input.query.cursor.0);
    let query = CardQuery { scope: SearchedCards::Public, text: text.clone(), capability: None, accepts: None };
    let is_first = text.is_none() && cursor.is_none();
    let page = PageParameters { cursor: cursor.map(|cursor| cursor.0), limit: LIMIT_DEFAULT };
    let page = search::listed(&service, query, page).await?;
    let urls = AgentViewer::of(&service).urls;
    Ok(respond(&input.request, &index_parts(&urls, &page, text.as_deref(), is_first)))
}

fn index_parts(urls: &AgentUrls, page: &Page<Agent>, text: Option<&str>, is_first: bool) -> PageParts {
    let item = |agent: &Agent| {
        let card = agent.card.as_ref()?;
        let description = card.description.as_deref().unwrap_or_default();
        let url = escape(&urls.page(&agent.address));
        let (name, address) = (shown_text(&card.name), escape(&agent.address));
        let note = line("note", &[shown_text(description)]);
        Some(format!("<li><a href=\"{url}\">{name}</a> <code>{address}</code>{note}</li>"))
    };
    let items: Vec<String> = page.rows().flatten().filter_map(item).collect();
    let list = match (items.is_empty(), text) {
        (false, _) => format!("<ul>{}</ul>", items.concat()),
        (true, Some(_)) => "<p>No agent matches.</p>".to_owned(),
        (true, None) => "<p>No agent is listed yet.</p>".to_owned(),
    };
    let value = text.map(plain).unwrap_or_default();
    let next = page.cursor_after(page.len()).map(|cursor| {
        let text = text.map(|text| format!("q={}&amp;", encoded(text))).unwrap_or_default();
        format!("<p><a href=\"{INDEX}?{text}cursor={}\">More agents</a></p>", encoded(&cursor))
    });
    let title = "Agent directory".to_owned();
    let body = format!(
        "<h1>Agent directory</h1><form action=\"{INDEX}\" method=\"get\" role=\"search\">\
         <input type=\"search\" name=\"q\" value=\"{value}\" maxlength=\"200\" aria-label=\"Search agents\"> \
         <button type=\"submit\">Search</button></form>{list}{}",
        next.unwrap_or_default()
    );
    PageParts {
        title,
        head: open_graph(urls, "Agent directory", "Agents that you can write to.", INDEX),
        body,
        is_indexable: is_first,
    }
}

/// Returns the elements that describe a page to other sites.
fn open_graph(urls: &AgentUrls, title: &str, description: &str, path: &str) -> String {
    let url = if path.starts_with('/') { format!("{}{path}", urls.base) } else { path.to_owned() };
    let (title, description, url) = (plain(title), plain(description), escape(&url));
    format!(
        "<meta name=\"description\" content=\"{description}\"><link rel=\"canonical\" href=\"{url}\">\
         <meta property=\"og:type\" content=\"website\"><meta property=\"og:title\" content=\"{title}\">\
         <meta property=\"og:description\" content=\"{description}\"><meta property=\"og:url\" content=\"{url}\">\
         <meta property=\"og:site_name\" content=\"Agent directory\"><meta name=\"twitter:card\" content=\"summary\">"
    )
}

async fn agent(service: Arc<Service>, input: PageInput) -> Result<RouteResponse, Refusal> {
    let found = named(&service, &input.path).await?;
    Ok(respond(&input.request, &agent_parts(&shown(&found)?)))
}

fn agent_parts(shown: &ShownAgent<'_>) -> PageParts {
    let (agent, card, urls) = (shown.agent, shown.card, shown.urls);
    let description = card.description.as_deref().unwrap_or_default();
    let url = urls.page(&agent.address);
    let mut body = format!("<p><a href=\"{INDEX}\">Agent directory</a></p><h1>{}</h1>", shown_text(&card.name));
    if !description.is_empty() {
        body.push_str(&format!("<p class=\"text\">{}</p>", shown_text(description)));
    }
    body.push_str(&facts(shown));
    let skills: Vec<String> = card.capabilities.skills.iter().map(skill).collect();
    if !skills.is_empty() {
        body.push_str(&format!("<h2>Skills</h2><ul>{}</ul>", skills.concat()));
    }
    let document = |name: &str| escape(&urls.document(&agent.address, name));
    body.push_str(&format!(
        "<h2>For programs</h2><ul><li><a href=\"{}\">A2A card</a></li><li><a href=\"{}\">OASF record</a></li>\
         <li><a href=\"{}\">Keys of the agent</a></li><li><a href=\"{}\">Keys of the service</a></li></ul>",
        document("agent-card.json"),
        document("oasf.json"),
        document("keys.json"),
        escape(&urls.server_keys()),
    ));
    let data = json!({
        "@context": "https://schema.org",
        "@type": "SoftwareApplication",
        "applicationCategory": "AI agent",
        "name": visible(&card.name),
        "description": visible(description),
        "identifier": agent.address,
        "url": url,
        "dateModified": card.updated_at.to_string(),
    });
    let head = open_graph(urls, &card.name, description, &url) + &data_block(&data);
    PageParts { title: format!("{} · {}", card.name, agent.address), head, body, is_indexable: card.is_indexable }
}

/// Returns the facts that the service knows about an agent.
fn facts(shown: &ShownAgent<'_>) -> String {
    let (agent, card) = (shown.agent, shown.card);
    let address = escape(&agent.address);
    let reach = match agent.kind {
        InboxKind::Mailbox => format!("<a href=\"mailto:{address}\">{address}</a>"),
        InboxKind::Identity => format!("<code>{address}</code> (no mail)"),
    };
    let mut items = vec![format!("Address: {reach}")];
    items.extend(agent.handle().map(|handle| format!("Handle: <code>{}</code>", escape(&handle))));
    items.extend(agent.verified_domain().map(|domain| format!("Verified domain: {}", escape(domain))));
    items.push(format!("Assurance: {}", agent.assurance().text()));
    let types: Vec<&str> = card.capabilities.accepts_types.iter().map(|kind| kind.text()).collect();
    items.push(format!("Accepts: {}", types.join(", ")));
    if !card.capabilities.languages.is_empty() {
        items.push(format!("Languages: {}", plain(&card.capabilities.languages.join(", "))));
    }
    let documentation = card.documentation_url.as_deref().filter(|url| check_documentation_url(url).is_ok());
    items.extend(documentation.map(|url| {
        let url = escape(url);
        format!("Documentation: <a href=\"{url}\" rel=\"nofollow noopener noreferrer ugc\">{url}</a>")
    }));
    format!("<ul>{}</ul>", items.iter().map(|item| format!("<li>{item}</li>")).collect::<String>())
}

fn skill(skill: &Skill) -> String {
    let description = skill.description.as_deref().unwrap_or_default();
    let tags: Vec<String> = skill.tags.iter().map(|tag| format!("<code>{}</code>", shown_text(tag))).collect();
    let (name, id) = (shown_text(&skill.name), plain(&skill.id));
    let (description, tags) = (line("text", &[shown_text(description)]), line("note", &tags));
    format!("<li><b>{name}</b> <code>{id}</code>{description}{tags}</li>")
}

/// Returns the parts as a line of an item, with this class; nothing if all are empty.
fn line(class: &str, parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!("<br><span class=\"{class}\">{}</span>", parts.join(" ")) }
}

async fn sitemap(api: Arc<Api>, input: PageInput) -> Result<RouteResponse, Refusal> {
    let urls = AgentViewer::of(&api.service).urls;
    let build = search::indexable(&api.service, SITEMAP_MAX, move |cards| sitemap_text(&urls, &cards));
    let version = api.sitemap(i64::from(CACHED_S) * SECOND_MS, build).await?;
    Ok(RouteResponse::cached_shared(&input.request, CACHED_S, "application/xml", version))
}

/// Returns the bytes of the sitemap.
fn sitemap_text(urls: &AgentUrls, cards: &[IndexableCard]) -> Vec<u8> {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">",
    );
    for card in cards {
        let (url, changed) = (escape(&urls.page(&card.address)), card.updated_at);
        text.push_str(&format!("<url><loc>{url}</loc><lastmod>{changed}</lastmod></url>"));
    }
    text.push_str("</urlset>\n");
    text.into_bytes()
}

async fn robots(service: Arc<Service>, input: PageInput) -> Result<RouteResponse, Refusal> {
    let text = if switches::is_public(&service) {
        let base = &service.config.base_url;
        format!("User-agent: *\nAllow: {INDEX}\nAllow: /sitemap.xml\nDisallow: /\nSitemap: {base}/sitemap.xml\n")
    } else {
        "User-agent: *\nDisallow: /\n".to_owned()
    };
    Ok(RouteResponse::cached(&input.request, CACHED_S, "text/plain; charset=utf-8", text.into_bytes()))
}
