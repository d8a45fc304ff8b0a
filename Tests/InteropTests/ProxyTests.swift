import Foundation
import RestfulData
import Testing

#if os(Linux)
    /// A proxy that others wrote, which `Scripts/interop` runs.
    private struct RealProxy: CustomTestStringConvertible, Sendable {
        let name: String
        /// The environment variable of its port.
        let variable: String
        let make: @Sendable (Int) -> Proxy

        static let all = [
            RealProxy(name: "tinyproxy", variable: "INTEROP_TINYPROXY") {
                Proxy.http(host: "127.0.0.1", port: $0, user: "ada", password: "secret")
            },
            RealProxy(name: "squid", variable: "INTEROP_SQUID") {
                Proxy.http(host: "127.0.0.1", port: $0)
            },
            RealProxy(name: "microsocks", variable: "INTEROP_SOCKS") {
                Proxy.socks(host: "127.0.0.1", port: $0)
            },
        ].filter { $0.port != nil }

        var testDescription: String { name }
        var port: Int? { ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } }

        func api(_ change: (inout ConnectionOptions) -> Void = { _ in }) throws -> API {
            var options = ConnectionOptions()
            options.proxies = .server(make(port ?? 0))
            change(&options)
            return API(
                House.rails.address ?? "", conventions: .rails, transport: try HTTPTransport(connecting: options))
        }
    }

    /// Requests through the proxies of others. That they went there, `Scripts/interop` sees in the proxies' logs.
    @Suite(.against(.rails)) struct ProxyTests {
        @Test(arguments: RealProxy.all)
        fileprivate func `Requests go through the proxy`(_ proxy: RealProxy) async throws {
            let api = try proxy.api()
            let tags: JSONValue = try await api.json("/tags")
            #expect(tags.array != nil)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...20 { group.addTask { _ = try await api.data("/tags") } }
                try await group.waitForAll()
            }
        }

        @Test(arguments: RealProxy.all.filter { $0.name == "tinyproxy" })
        fileprivate func `A password that the proxy refuses is an error that doesn't show it`(
            _ proxy: RealProxy
        ) async throws {
            let api = try proxy.api { options in
                options.proxies = .server(
                    .http(host: "127.0.0.1", port: proxy.port ?? 0, user: "ada", password: "wrong"))
            }
            do {
                _ = try await api.data("/tags")
                Testing.Issue.record("it was sent")
            } catch {
                #expect("\(error)".contains("407") || "\(error)".contains("proxy"), "\(error)")
                #expect(!"\(error)".contains("wrong"))
            }
        }

        @Test(arguments: RealProxy.all)
        fileprivate func `A server that the proxy can't reach is a connection error`(_ proxy: RealProxy) async throws {
            var options = ConnectionOptions()
            options.proxies = .server(proxy.make(proxy.port ?? 0))
            // Port 9 refuses connections.
            let api = API("http://127.0.0.1:9", transport: try HTTPTransport(connecting: options))
            do {
                _ = try await api.data("/tags") { $0.timeout = .seconds(20) }
                Testing.Issue.record("somebody has answered")
            } catch {
                guard case .transport(let failure) = error else {
                    Testing.Issue.record("\(error)")
                    return
                }
                switch failure.reason {
                case .connectionFailed, .connectionRefused, .connectionLost, .other: break
                default: Testing.Issue.record("\(error)")
                }
            }
        }
    }
#endif
