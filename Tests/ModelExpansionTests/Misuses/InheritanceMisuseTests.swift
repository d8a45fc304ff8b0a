import Testing

/// Mistakes in classes that inherit, and in their superclasses.
@Suite struct InheritanceMisuseTests {
    @Test func `A model that isn't final needs a discriminator`() {
        expectMisuse(
            """
            @Model
            class ⏵Event {
                var identifier: Int?
            }
            """,
            "nothing tells 'Event' from a class that inherits from it; make it 'final', or name the attribute that does with "
                + "'@Model(discriminator:)'",
            fixIts: [
                FixIt(
                    "make it 'final'",
                    """
                    @Model
                    final class Event {
                        var identifier: Int?
                    }
                    """)
            ])
    }

    @Test func `A final model can't have a discriminator`() {
        expectMisuse(
            """
            @Model(discriminator: "type")
            ⏵final class Event {
                var identifier: Int?
                var type = ""
            }
            """,
            "no class can inherit from 'Event', so it needs no discriminator; remove 'final' or that",
            fixIts: [
                FixIt(
                    "remove 'final'",
                    """
                    @Model(discriminator: "type")
                    class Event {
                        var identifier: Int?
                        var type = ""
                    }
                    """)
            ])
    }

    @Test func `An unknown discriminator is refused with the nearest name`() {
        expectMisuse(
            """
            @Model(discriminator: ⏵"tpye")
            class Event {
                var identifier: Int?
                var type = ""
            }
            """,
            "'discriminator:' names 'tpye', and 'Event' has no such property; did you mean 'type'?",
            fixIts: [
                FixIt(
                    "replace 'tpye' with 'type'",
                    """
                    @Model(discriminator: "type")
                    class Event {
                        var identifier: Int?
                        var type = ""
                    }
                    """)
            ])
    }

    @Test func `A submodel without its superclass is refused with a fix`() {
        expectMisuse(
            """
            @Model(inherits: Event.self)
            final class ⏵PushEvent {
                var size = 0
            }
            """,
            "'inherits:' names 'Event', and the class doesn't inherit from it; write 'PushEvent: Event'",
            fixIts: [
                FixIt(
                    "inherit from 'Event'",
                    """
                    @Model(inherits: Event.self)
                    final class PushEvent: Event {
                        var size = 0
                    }
                    """)
            ])
    }

    @Test func `A submodel with another superclass is refused`() {
        expectMisuse(
            """
            @Model(inherits: Event.self)
            final class ⏵PushEvent: Entry {
                var size = 0
            }
            """,
            "'inherits:' names 'Event', and the class doesn't inherit from it; write 'PushEvent: Event'")
    }

    @Test func `A submodel can't have an identity of its own`() {
        expectMisuse(
            """
            @Model(inherits: Event.self, ⏵identity: "number")
            final class PushEvent: Event {
                var number: Int?
            }
            """,
            "'PushEvent' has the identity of 'Event', as they share a table; declare it there")
    }

    @Test func `A submodel can't override a property of its superclass`() {
        expectMisuse(
            """
            @Model(inherits: Event.self)
            final class PushEvent: Event {
                ⏵override var title = "Push"
            }
            """,
            "'title' is a property of the model that this class inherits from, which declares it for both; remove it "
                + "here")
    }

    @Test func `Names of inherited properties are accepted without a check`() {
        expectNoMisuse(
            """
            @Model("/pushes/:actor.login", inherits: Event.self, key: "number")
            final class PushEvent: Event {
                @Relationship("/events/:id/commits") var commits: [Commit]
            }
            """)
    }
}
