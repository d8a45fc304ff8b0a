import Foundation
import Testing

/// Files can write the library's names unqualified, next to any other imports.
@Suite(.serialized, .enabled(if: ClientCompiler.isExpected, "no record of the build's compiler calls is here"))
struct PublicNameTests {
    @Test func `Public names collide with none of Foundation, HTTPTypes, GRDB, SwiftUI and SwiftData`() async throws {
        let names = try Self.publicNames()
        try #require(names.count > 60)
        #expect(try await Self.ambiguousNames(among: names, withModules: Self.appleModules) == [])
    }

    @Test func `A planted collision of public names is found`() async throws {
        let names = try Self.publicNames()
        let planted = ["SwiftUI": ["ObjectContext", "View"]]
        #expect(try await Self.ambiguousNames(among: names, withModules: planted) == ["ObjectContext"])
    }

    /// The names that a client can't write when it imports everything, including modules with the names of `others`.
    private static func ambiguousNames(
        among names: [String], withModules others: [String: [String]]
    ) async throws -> [String] {
        var source = "import Foundation\nimport GRDB\nimport HTTPTypes\nimport RestfulData\n"
        for module in others.keys.sorted() { source += "import \(module)\n" }
        for (index, name) in names.enumerated() { source += "func use\(index)(_: \(name).Type) {}\n" }
        let stubs = others.mapValues { names in names.map { "public struct \($0) {}" }.joined(separator: "\n") }
        let verdict = try await #require(ClientCompiler.current).check(source, besideModules: stubs)
        let missing = verdict.errors.filter { $0.hasPrefix("no such module") || $0.hasPrefix("cannot find type") }
        #expect(missing == [])
        return names.filter { name in verdict.errors.contains { $0.contains("'\(name)' is ambiguous") } }
    }

    /// The types that a client sees at the top level: those of the modules that `import RestfulData` brings.
    private static func publicNames() throws -> [String] {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        var names: Set<String> = []
        for folder in ["Conventions", "Sources/ObjectStore", "Sources/RESTTransport", "Sources/RestfulData"] {
            let place = root.appending(path: folder)
            let paths = FileManager.default.enumerator(atPath: place.path)?.compactMap { $0 as? String } ?? []
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOf: place.appending(path: path), encoding: .utf8)
                names.formUnion(text.matches(of: declaration).map { String($0.name) })
            }
        }
        return names.sorted()
    }

    // A regular expression is non-`Sendable`, so each use has its own.
    private static var declaration: Regex<(Substring, name: Substring)> {
        /(?m)^public (?:final |indirect )?(?:actor|class|enum|protocol|struct|typealias) (?<name>\w+)/
    }

    /// Types of Apple's frameworks, which only Apple's systems have, as a file sees them. Their macros `@Model`,
    /// `@Attribute`, `@Relationship` and `@Transient` do collide, in a file that declares models of both.
    private static let appleModules = [
        "SwiftUI": words(
            """
            Alert Alignment Anchor Angle Animatable Animation AnyLayout AnyShape AnyTransition AnyView App AppStorage
            AsyncImage Axis BackgroundStyle BackgroundTask Binding BorderedButtonStyle BlendMode Button ButtonRole
            ButtonStyle Canvas Capsule Circle ClosedRange Color ColorPicker ColorScheme CommandGroup CommandMenu Commands
            Configuration ContainerValues ContentMode ContentUnavailableView ControlGroup ControlSize CoordinateSpace
            DatePicker DismissAction DisclosureGroup Divider DocumentGroup DragGesture DropDelegate DropInfo
            DynamicProperty Edge EdgeInsets EditButton EditMode Ellipse EmptyView Environment EnvironmentKey
            EnvironmentObject EnvironmentValues EquatableView EventModifiers FetchRequest FetchedResults FileDocument
            FillStyle FocusState FocusedBinding FocusedValue Font ForEach Form Gauge GeometryProxy GeometryReader Gesture
            GestureState Gradient GraphicsContext Grid GridItem GridRow Group GroupBox HStack HelpLink HorizontalAlignment
            Image ImageRenderer IndexViewStyle InsettableShape ItemProvider KeyEquivalent KeyPress Label LabeledContent
            Layout LayoutSubviews LazyHGrid LazyHStack LazyVGrid LazyVStack LinearGradient Link List LocalizedStringKey
            LongPressGesture Material Menu MenuBarExtra MoveCommandDirection Namespace NavigationLink NavigationPath
            NavigationSplitView NavigationStack NavigationView ObservedObject OffsetShape OpenURLAction OutlineGroup
            PasteButton Path Picker PinnedScrollableViews PlaceholderContentView PreferenceKey PreviewProvider
            PrimitiveButtonStyle ProgressView ProjectionTransform ProposedViewSize Rectangle RefreshAction RenameButton
            RotatedShape RotateGesture RoundedRectangle SafeAreaRegions Scene ScenePhase SceneStorage ScrollView
            ScrollViewReader Section SectionedFetchRequest SecureField SensoryFeedback Settings SettingsLink Shape
            ShapeStyle ShareLink SharePreview Slider Solarium Spacer Stepper State StateObject StrokeStyle SubmitLabel
            SubmitTriggers SubscriptionView Subview TabView Tab Table TableColumn TableRow TapGesture Text TextAlignment
            TextEditor TextField TextSelection TimelineSchedule TimelineView TitleBarOnlyWindowStyle Toggle ToolbarContent
            ToolbarItem Transaction TransformedShape Transition TupleView UnitCurve UnitPoint UtilityWindow VStack
            VerticalAlignment View ViewBuilder ViewDimensions ViewModifier ViewSpacing Visibility Window WindowGroup ZStack
            """),
        "SwiftData": words(
            """
            BackingData DataStore DataStoreBatching DataStoreConfiguration DataStoreError DataStoreFetchRequest
            DataStoreFetchResult DataStoreSaveChangesRequest DataStoreSaveChangesResult DataStoreSnapshot
            DefaultBackingData DefaultHistoryDelete DefaultHistoryInsert DefaultHistoryToken DefaultHistoryTransaction
            DefaultHistoryUpdate DefaultSerialModelExecutor DefaultStore EditingState FetchDescriptor
            FetchResultsCollection HistoryChange HistoryDelete HistoryDescriptor HistoryInsert HistoryProviding
            HistoryToken HistoryTombstone HistoryTransaction HistoryUpdate MigrationStage ModelActor ModelConfiguration
            ModelContainer ModelContext ModelDocument ModelExecutor PersistentIdentifier PersistentModel Query
            RelationshipCollection Schema SchemaMigrationPlan SchemaProperty SwiftDataError VersionedSchema
            """),
    ]

    private static func words(_ text: String) -> [String] {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init)).subtracting(["ClosedRange", "Configuration"])
            .sorted()
    }
}
