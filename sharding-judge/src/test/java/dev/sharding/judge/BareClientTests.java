package dev.sharding.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The formula that the bounds in time follow. */
class BareClientTests {

	private static final Instant FROM = AuditLines.START.plusSeconds(10);

	private static final Instant TO = AuditLines.START.plusSeconds(12);

	@TempDir
	Path directory;

	@Test
	void addsNothingButFourMillisecondsForEachThingWhereThereIsNoClient() throws IOException {
		BareClient none = client((lines) -> lines);
		assertThat(none.worst(FROM, TO)).isZero();
		assertThat(none.allowance(FROM, TO, 0)).isZero();
		assertThat(none.allowance(FROM, TO, 100)).isEqualTo(Duration.ofMillis(400));
	}

	@Test
	void addsSevenTimesTheWorstThatItSufferedNearby() throws IOException {
		BareClient client = client((lines) -> lines.probe(4000, 400, 599)
			.probe(6000, 1, 2)
			.probe(8000, 70, 30)
			.probe(16_000, 50, 40)
			.probe(17_200, 100, 900));
		assertThat(client.worst(FROM, TO)).isEqualTo(Duration.ofMillis(100));
		assertThat(client.allowance(FROM, TO, 0)).isEqualTo(Duration.ofMillis(700));
	}

	@Test
	void addsMoreForEachThingWhereItWasSlowOnTheWhole() throws IOException {
		BareClient client = client((lines) -> lines.probe(11_000, 0, 60).probe(11_500, 20, 40));
		// Two trips, and one of no length between them: 40 ms on average.
		assertThat(client.allowance(FROM, TO, 10)).isEqualTo(Duration.ofMillis(7 * 60 + 10 * 8));
	}

	private BareClient client(UnaryOperator<AuditLines> trips) throws IOException {
		return BareClient.of(trips.apply(new AuditLines()).read(this.directory));
	}

}
