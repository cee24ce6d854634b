package dev.sharding.internal.core.overlay;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;

import dev.sharding.internal.core.overlay.ObservedEvent.Added;
import dev.sharding.internal.core.overlay.ObservedEvent.Removed;
import dev.sharding.internal.core.overlay.ObservedEvent.Updated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The event-filter window row by row: what reaches the writer of an object. Rows have the
 * numbers of the table that this contract started from; decision record 0004 tells where
 * and why they differ from it.
 * <p>
 * Steps: {@code S4} a write with a lock on version 4, {@code s} one without lock,
 * {@code C} a create, {@code O5} its answer (the oldest write's, with version 5),
 * {@code F} it failed, {@code ?} its outcome is unknown; {@code U5} an update from 4 to
 * 5, {@code U4>8} one from 4 to 8, {@code W5} as {@code U5} with what the write without
 * lock sent as its content, {@code A5} an addition, {@code X5} a removal, {@code Y4} a
 * removal found by a relist; {@code L} and {@code l9} start and end of a relist,
 * {@code T} the deadline. What a step emits to the writer stands behind {@code =}.
 */
class OverlayContractTests {

	private static final String WRITER = "writer";

	private static final long LATER = OverlayLimits.defaults().hold().toNanos();

	private final Overlay<String, ModelObject> overlay = new Overlay<>(ModelObject.ACCESS, OverlayLimits.defaults());

	private final Deque<Long> sent = new ArrayDeque<>();

	private long now = 1;

	@ParameterizedTest(name = "{0}: {1}")
	@CsvSource(delimiter = '|', textBlock = """
			1  | U5=U4>5
			1  | A5=A5
			1  | X5=X5
			2  | S4 O5 U5
			3  | S4 U5 O5
			4  | s O5 W5
			4  | s W5 O5
			4  | s O5 U5=U4>5
			5  | C O5 A5
			5  | C A5 O5
			6  | S4 F U5=U4>5
			7  | S4 U5 F=U4>5
			8  | S4 U5 U6 F=U4>5,U5>6
			9  | S4 O5 U4=U3>4 U5
			10 | S4 U4=U3>4 U5 O5
			11 | S4 O5 U5 U6=U5>6
			12 | S4 O5 U4=U3>4 U5 U6=U5>6
			13 | S5 O6 U5=U4>5 U6 U7=U6>7
			14 | S5 U4=U3>4 O6 U5=U4>5 U6 U7=U6>7
			15 | S4 O5 A6=A6
			16 | S4 O5 U7=U6>7
			17 | S4 O5 U5>9=U5>9
			18 | S4 O5 S5 O6 U5 U6
			18 | S4 S5 U5 U6 O5 O6
			19 | S4 S5 O5 O6 U5 U6
			20 | S4 O5 S5 O6 U5 U7=U6>7
			21 | S4 O5 S6 O7 U5 U6=U5>6 U7
			22 | S4 O5 S6 U5 U6=U5>6 O7 U7
			23 | S5 O6 S6 U5=U4>5 U6 U7 O7
			23 | S5 O6 S6 U5=U4>5 U6 U7 F=U6>7
			24 | S4 S5 O5 O6 U6
			25 | S4 S6 O5 O7 U5 U6=U5>6 U7
			26 | S4 O5 X5=X5
			27 | C O5 X4=X4 A5
			28 | C X4=X4 A5 O5
			29 | C O7 U5=U4>5 X6=X6 A7
			30 | S4 O5 U5 X6=X6
			31 | S5 O6 U5=U4>5 U6 X7=X7
			32 | S5 O6 U5=U4>5 U6 X7=X7 A8=A8
			33 | S4 O5 U5 U6=U5>6 X7=X7
			34 | S4 O5 U5 X6=X6 C O7 A7
			35 | S4 O5 S5 O6 U5 U6 X7=X7
			36 | S4 O5 X7=X7
			37 | S4 U4=U3>4 X5=X5 F
			37 | S4 X5=X5 F
			38 | C A5 X6=A5,X6 O5
			38 | C O5 A5 X6=X6
			39 | C A5 X6=A5,X6 A7 O7
			39 | C O7 A5=A5 X6=X6 A7
			40 | S2 U2=U1>2 O3 X5=X5
			41 | S5 U4=U3>4 O6 X5=X5
			42 | S4 O5 X4=X4
			42 | S4 O5 U3=U2>3
			44 | S9 X10=X10 O10
			44 | S9 O10 X10=X10
			45 | S4 L O5 U5 l5
			45 | S4 O5 L U5 l5
			45 | s L O5 W5=U4>5 l5
			45 | s O5 L W5=U4>5 l5
			46 | S4 O5 U5 L U6=U5>6 l6
			47 | S4 O5 U5 S5 O6 L U6 l6
			48 | S4 O5 U3=U2>3 L U3>5=U3>5 l5
			49 | s O5 L l4 W5
			49 | L l4 s O5 W5
			50 | S4 O5 L U5 l5 U6=U5>6
			50 | s O5 L W5=U4>5 l5
			50 | C O5 L A5=A5 l5
			51 | C O5 L Y4=Y4 A5=A5 l5
			52 | S4 O5 U3=U2>3 U4=U3>4 L Y4=Y4 l9
			53 | S4 U5 L Y5=U4>5,Y5 l9 O5
			54 | s U7=U6>7 O7
			54 | s W7 O7
			54 | S7 U7=U6>7 O7
			55 | S7 O8 U4>8=U4>8
			55 | s O8 U4>8=U4>8
			56 | S4 O5 S5 O5 U5
			57 | S4 O5 U6=U5>6 U5=U4>5
			60 | S4 U5 ?=U4>5
			61 | S4 U5 T=U4>5 O5
			""")
	void emits(int row, String transcript) {
		StringJoiner actual = new StringJoiner(" ");
		for (String step : transcript.split(" ")) {
			String input = step.split("=", 2)[0];
			String emitted = render(play(input));
			actual.add(emitted.isEmpty() ? input : input + "=" + emitted);
		}
		assertThat(actual.toString()).isEqualTo(transcript);
		this.overlay.bookmark("99");
		this.overlay.resolved(this.overlay.tick(this.now).doubts(), List.of(), Set.of(), "99", this.now);
		assertThat(this.overlay.status(this.now).isEmpty()).as("nothing is left").isTrue();
	}

	private List<Emission<ModelObject>> play(String step) {
		String argument = step.substring(1);
		switch (step.charAt(0)) {
			case 'S' -> this.sent.add(send(new OwnWrite.Update<>(WRITER, "x", argument, OwnChange.unknown())));
			case 's' ->
				this.sent.add(send(new OwnWrite.Update<>(WRITER, "x", null, (before, after) -> after.a() == 1)));
			case 'C' -> this.sent.add(send(new OwnWrite.Create<>(WRITER, "x", (name) -> false)));
			case 'L' -> this.overlay.relistStarted();
			case 'l' -> this.overlay.relistFinished(argument);
			default -> {
				return playAnswerOrEvent(step.charAt(0), argument);
			}
		}
		return List.of();
	}

	private List<Emission<ModelObject>> playAnswerOrEvent(char step, String argument) {
		return switch (step) {
			case 'O' -> this.overlay.returned(this.sent.remove(), object(argument, 0), this.now);
			case 'F' -> this.overlay.failed(this.sent.remove());
			case '?' -> this.overlay.outcomeUnknown(this.sent.remove(), this.now);
			case 'T' -> this.overlay.tick(this.now += LATER).emissions();
			case 'A' -> this.overlay.event(new Added<>(object(argument, 0)), this.now);
			case 'X' -> this.overlay.event(new Removed<>(object(argument, 0), false), this.now);
			case 'Y' -> this.overlay.event(new Removed<>(object(argument, 0), true), this.now);
			default -> this.overlay.event(update(argument, (step == 'W') ? 1 : 0), this.now);
		};
	}

	private long send(OwnWrite<String, ModelObject> write) {
		return this.overlay.sent(write, this.now);
	}

	private static Updated<ModelObject> update(String versions, int a) {
		String after = versions.substring(versions.indexOf('>') + 1);
		String before = versions.contains(">") ? versions.substring(0, versions.indexOf('>'))
				: Integer.toString(Integer.parseInt(after) - 1);
		return new Updated<>(object(before, 0), object(after, a));
	}

	private static ModelObject object(String version, int a) {
		return new ModelObject("x", "u", version, true, a, 0, false, false);
	}

	private static String render(List<Emission<ModelObject>> emissions) {
		StringJoiner line = new StringJoiner(",");
		for (Emission<ModelObject> emission : emissions) {
			if (emission.reaches(WRITER)) {
				line.add(render(emission.event()));
			}
		}
		return line.toString();
	}

	private static String render(ObservedEvent<ModelObject> event) {
		String version = event.object().version();
		if (event instanceof Updated<ModelObject> updated) {
			return "U" + updated.before().version() + ">" + version;
		}
		if (event instanceof Removed<ModelObject> removed) {
			return (removed.finalStateUnknown() ? "Y" : "X") + version;
		}
		return "A" + version;
	}

}
