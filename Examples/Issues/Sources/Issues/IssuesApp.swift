import IssuesUI
import SwiftUI

#if os(macOS)
    import AppKit
#endif

@main
struct IssuesApp: App {
    @State private var session = Session()

    init() {
        #if os(macOS)
            // A package's program has no bundle, so it has to ask for a Dock icon and a menu bar.
            NSApplication.shared.setActivationPolicy(.regular)
        #endif
    }

    var body: some Scene {
        WindowGroup { RootView(session: session) }
    }
}
