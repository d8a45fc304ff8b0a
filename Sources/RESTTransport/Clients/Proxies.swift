#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The proxies for requests.
    public struct Proxies: Sendable {
        private enum Content {
            case all(Proxy?)
            case rules(ProxyRules)
        }

        private let content: Content

        /// No proxy.
        public static let none = Proxies(content: .all(nil))

        /// The proxies of the environment, as in curl: `https_proxy`, `http_proxy` and `all_proxy`. `no_proxy` lists
        /// the hosts that bypass them. All names except `http_proxy` can be in upper case. The variables are read once.
        ///
        /// HTTP and SOCKS 5 proxies work. If the variable for a request has another scheme, such as `https://` or
        /// `socks4://`, or no host, the request is not sent, and fails with
        /// ``TransportError/Reason/connectionFailed(_:)``.
        public static var environment: Proxies { Proxies(environment: ProcessInfo.processInfo.environment) }

        /// One proxy for all requests.
        public static func server(_ proxy: Proxy) -> Proxies { Proxies(content: .all(proxy)) }

        private init(content: Content) { self.content = content }

        init(environment: [String: String]) { content = .rules(ProxyRules(environment)) }

        /// Nil for a direct connection.
        func proxy(to origin: Origin) throws(UnusableProxy) -> Proxy? {
            switch content {
            case .all(let proxy): return proxy
            case .rules(let rules): return try rules.proxy(to: origin)
            }
        }
    }

    /// A variable of the environment has a proxy that can't be used. A direct connection could reveal the request, or
    /// the machine's address.
    struct UnusableProxy: Error {
        let variable: String
        let reason: String

        var text: String { "the proxy in the variable \(variable) \(reason)" }
    }

    /// A proxy server.
    public struct Proxy: Sendable, Hashable {
        enum Kind: Sendable {
            case http, socks
        }

        let kind: Kind
        let host: String
        let port: Int
        let user: String?
        let password: String?

        /// An HTTP proxy. All requests use a tunnel (`CONNECT`), including those by `http`.
        ///
        /// - Parameter user: The user name; nil for an open proxy.
        public static func http(host: String, port: Int, user: String? = nil, password: String? = nil) -> Proxy {
            Proxy(kind: .http, host: host, port: port, user: user, password: password)
        }

        /// A SOCKS 5 proxy that needs only its address.
        public static func socks(host: String, port: Int) -> Proxy {
            Proxy(kind: .socks, host: host, port: port, user: nil, password: nil)
        }

        private init(kind: Kind, host: String, port: Int, user: String?, password: String?) {
            (self.kind, self.host, self.port, self.user, self.password) = (kind, host, port, user, password)
        }

        /// Reads a text such as `http://user:password@proxy.example:3128`, which must have a host.
        ///
        /// As in curl, the default scheme is HTTP, and the default port 1080.
        ///
        /// - Parameter variable: the name of its variable, for the error.
        fileprivate init(_ text: String, in variable: String) throws(UnusableProxy) {
            let text = text.contains("://") ? text : "http://" + text
            guard let components = URLComponents(string: text), let host = components.host, !host.isEmpty else {
                throw UnusableProxy(variable: variable, reason: "has no host")
            }
            let scheme = components.scheme?.lowercased() ?? ""
            switch scheme {
            case "http": kind = .http
            case "socks5", "socks5h", "socks": kind = .socks
            default:
                throw UnusableProxy(
                    variable: variable, reason: "has the scheme \(scheme)://, where only http:// and socks5:// work")
            }
            // The client resolves an IPv6 address without the brackets of URLs.
            self.host = String(host.drop { $0 == "[" }.prefix { $0 != "]" })
            (port, user, password) = (components.port ?? 1080, components.user, components.password)
        }
    }

    extension Proxy: CustomStringConvertible, CustomReflectable {
        /// The proxy's address, without user name and password.
        public var description: String { "\(kind) proxy \(host):\(port)" }

        /// The description alone.
        public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
    }

    private struct ProxyRules: Sendable {
        private typealias Found = Result<Proxy, UnusableProxy>

        private let byScheme: [String: Found]
        private let all: Found?
        private let exceptions: [String]

        init(_ environment: [String: String]) {
            func variable(_ names: String...) -> String? {
                names.first { environment[$0]?.isEmpty == false }
            }
            func proxy(_ variable: String?) -> Found? {
                guard let variable, let text = environment[variable] else { return nil }
                return Found { () throws(UnusableProxy) in try Proxy(text, in: variable) }
            }
            var byScheme: [String: Found] = [:]
            // A request's header field `Proxy` sets `HTTP_PROXY` in a CGI program.
            byScheme["http"] = proxy(variable("http_proxy"))
            byScheme["https"] = proxy(variable("https_proxy", "HTTPS_PROXY"))
            self.byScheme = byScheme
            all = proxy(variable("all_proxy", "ALL_PROXY"))
            let exempt = variable("no_proxy", "NO_PROXY").flatMap { environment[$0] } ?? ""
            exceptions = exempt.lowercased().split { $0 == "," || $0 == " " }.map(String.init)
        }

        func proxy(to origin: Origin) throws(UnusableProxy) -> Proxy? {
            if exceptions.contains(where: { matches($0, origin) }) { return nil }
            return try (byScheme[origin.scheme] ?? all)?.get()
        }

        private func matches(_ exception: String, _ origin: Origin) -> Bool {
            if exception == "*" { return true }
            var name = exception[...]
            // `[::1]`, or `host:port`.
            if name.hasPrefix("[") {
                name = name.dropFirst().prefix { $0 != "]" }
            } else if name.count(where: { $0 == ":" }) == 1, let colon = name.lastIndex(of: ":") {
                guard Int(name[name.index(after: colon)...]) == origin.port else { return false }
                name = name[..<colon]
            }
            if name.hasPrefix(".") { name = name.dropFirst() }
            return !name.isEmpty && (origin.host == name || origin.host.hasSuffix("." + name))
        }
    }
#endif
