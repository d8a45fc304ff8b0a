import ArgumentParser
import Foundation
import GeneratedCode
import ModelGenerator
import OpenAPIFiles

/// The tool of the command plugin. Reads an OpenAPI description and writes a Swift file with models.
@main
struct GenerateModels: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate-models",
        abstract: "Writes model classes for an OpenAPI description, as a start that you edit.",
        usage: "swift package generate-models openapi.yaml --output Sources/App/Models.swift")

    @Argument(help: "The description: OpenAPI 3.0 or 3.1, in JSON or YAML.")
    var file: String

    @Option(help: "The Swift file; by default beside the description, openapi.swift.")
    var output: String?

    @Flag(help: "Overwrites a Swift file that is there, with all that was changed in it.")
    var force = false

    func run() throws {
        let url = URL(filePath: file)
        let target = output.map { URL(filePath: $0) } ?? url.deletingPathExtension().appendingPathExtension("swift")
        let generated = try GeneratedFile(target, madeOf: url)
        if !force, generated.present != nil { throw generated.refusal("is there already, and may have been edited") }
        let description = try OpenAPIDescription(contentsOf: url)
        for problem in description.problems { print("\(file): \(problem)") }
        let source = ModelSource(description)
        guard !source.names.isEmpty else {
            throw NoModels(description: "\(file) has no objects at a path; nothing was written")
        }
        print("\(try generated.write(source.text)), \(source.names.count) classes")
    }

    private struct NoModels: Error, CustomStringConvertible { let description: String }
}
