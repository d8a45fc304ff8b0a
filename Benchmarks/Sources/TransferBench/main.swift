// Measures uploads and downloads beside curl, and bare requests beside AsyncHTTPClient alone, on loopback:
//   TransferBench ROUNDS
// A round runs each in turn, so that all see the same machine; the ratios are of the medians.
import AsyncHTTPClient
import Foundation
import NIOCore
import RestfulData

let arguments = CommandLine.arguments
if arguments.dropFirst().first == "--serve" { FileServer.run() }
let rounds = max(Int(arguments.dropFirst().first ?? "") ?? 5, 1)
let size = 500_000_000

/// Runs a program, and returns its exit status.
func run(_ program: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}

func seconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .seconds(1)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// The most memory that this process has had, in MB.
func peakMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
    return (Int(line.split(separator: " ").dropLast().last ?? "") ?? 0) / 1000
}

let server = Process()
let output = Pipe()
server.executableURL = URL(filePath: arguments[0])
server.arguments = ["--serve"]
server.standardOutput = output
try server.run()
defer { server.terminate() }
let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    .trimmingCharacters(in: .whitespacesAndNewlines)
let base = "http://127.0.0.1:\(port)"

let folder = FileManager.default.temporaryDirectory.appending(path: "TransferBench-\(UUID())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let (source, target) = (folder.appending(path: "source"), folder.appending(path: "target"))
_ = FileManager.default.createFile(atPath: source.path, contents: nil)
let handle = try FileHandle(forWritingTo: source)
for _ in 0..<(size / 1_000_000) { try handle.write(contentsOf: Data(count: 1_000_000)) }
try handle.close()

let api = API(base, limits: .unlimited)
let count = 1000
let width = 8

/// Calls something many times, some at once.
func repeating(_ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<count {
            if index >= width { try await group.next() }
            group.addTask { try await body() }
        }
        try await group.waitForAll()
    }
}

var times: [String: [Double]] = [:]
@MainActor func measure(_ name: String, _ body: () async throws -> Void) async throws {
    times[name, default: []].append(try await seconds(body))
}

for _ in 0..<rounds {
    try await measure("download, curl") { _ = try run("/usr/bin/curl", ["-s", "-o", target.path, "\(base)/\(size)"]) }
    try await measure("download") { try await api.download("/\(size)", to: target) }
    try await measure("upload, curl") { _ = try run("/usr/bin/curl", ["-s", "-T", source.path, "\(base)/file"]) }
    try await measure("upload") { try await api.send(.put, "/file", body: .file(source)) }
}
let transferMemory = peakMemory()
for _ in 0..<rounds {
    try await measure("requests, AsyncHTTPClient") {
        try await repeating {
            let reply = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: base + "/100"), timeout: .seconds(60))
            _ = try await reply.body.collect(upTo: 1000)
        }
    }
    try await measure("requests") { try await repeating { _ = try await api.data("/100") } }
}

print("| work | this library | peer | ratio |")
print("|---|---:|---:|---:|")
let rows = [
    ("download of 500 MB to a file", "download", "download, curl"),
    ("upload of 500 MB from a file", "upload", "upload, curl"),
    ("1,000 requests, 8 at a time", "requests", "requests, AsyncHTTPClient"),
]
for (title, own, peer) in rows {
    let (a, b) = (median(times[own] ?? [0]), median(times[peer] ?? [0]))
    let peerName = peer.split(separator: ", ").last.map(String.init) ?? peer
    print("| \(title) | \(Int(a * 1000)) ms | \(Int(b * 1000)) ms (\(peerName)) | \(Double(Int(a / b * 100)) / 100) |")
}
print("\nThe most memory while files moved: \(transferMemory) MB.")
