import Foundation
import PackagePlugin

/// `swift package generate-models openapi.yaml --output Sources/App/Models.swift`
@main
struct GenerateModels: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let process = Process()
        process.executableURL = try context.tool(named: "ModelGeneratorTool").url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
    }
}

/// The tool has said why.
private struct Failed: Error, CustomStringConvertible {
    let status: Int32
    var description: String { "generate-models has failed; see above (\(status))" }
}
