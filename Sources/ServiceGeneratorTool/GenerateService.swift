import ArgumentParser
import Foundation
import GeneratedCode
import ServiceFiles
import ServiceGenerator
import YAMLServiceFiles

/// The tool of the command plugin. Reads service files and writes Swift files.
@main
struct GenerateService: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate-service",
        abstract: "Writes a Swift type with a function for each method of a service file.",
        usage: "swift package generate-service Sources/App/Images.plist")

    @Argument(help: "The service files: property lists, JSON, or YAML (.yml, .yaml).")
    var files: [String]

    @Option(help: "The Swift file, of one service file; by default beside it, Images.swift.")
    var output: String?

    @Flag(help: "Overwrites a Swift file that this command has not made.")
    var force = false

    @Option(help: "The name of the type, of one service file; by default that of the file.")
    var name: String?

    @Option(help: "The access level of the type: internal, package or public.")
    var access: AccessLevel = .internal

    @Option(
        name: .customLong("decodable"), parsing: .upToNextOption,
        help: "The types of results (serializedObject) that are no models but Decodable.")
    var decodableTypes: [String] = []

    enum AccessLevel: String, ExpressibleByArgument, CaseIterable { case `internal`, package, `public` }

    func validate() throws {
        if files.count > 1, output != nil || name != nil {
            throw ValidationError("--output and --name are for one service file; run the command for each.")
        }
    }

    /// Generates all files before it writes the first one.
    func run() throws {
        var options = ServiceSource.Options()
        options.typeName = name
        options.access = access == .internal ? "" : access.rawValue
        options.decodableTypes = Set(decodableTypes)
        let made = try files.map { path in
            let url = URL(filePath: path)
            let target = output.map { URL(filePath: $0) } ?? url.deletingPathExtension().appendingPathExtension("swift")
            let file = try GeneratedFile(target, madeOf: url)
            if !force, let text = file.present, !text.hasPrefix(ServiceSource.beginning) {
                throw file.refusal("was not made by this command")
            }
            return (file: file, text: try ServiceSource(Self.source(url), options).text)
        }
        for (file, text) in made { print(try file.write(text)) }
    }

    private static func source(_ url: URL) throws(WebServiceError) -> ServiceFile.Source {
        switch url.pathExtension.lowercased() {
        case "json": try ServiceFile.Source(json: url)
        case "yml", "yaml": try ServiceFile.Source(yaml: url)
        default: try ServiceFile.Source(propertyList: url)
        }
    }
}
