package dev.sharding.demo;

import java.util.List;
import java.util.Locale;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DemoOptionsTests {

	@Test
	void playsWithAThousandObjectsWhenNothingIsSaid() {
		assertThat(DemoOptions.parse(List.of()))
			.isEqualTo(new DemoOptions(false, 1000, Fault.NONE, ShardProgram.EXAMPLE));
	}

	@Test
	void readsAllOptions() {
		assertThat(DemoOptions.parse(List.of("--once", "--objects", "50", "--break", "ack")))
			.isEqualTo(new DemoOptions(true, 50, Fault.ACK, ShardProgram.EXAMPLE));
		assertThat(DemoOptions.parse(List.of("--shard", "josdk", "--break", "fence")))
			.isEqualTo(new DemoOptions(false, 1000, Fault.FENCE, ShardProgram.JOSDK));
	}

	@Test
	void knowsFaultsByTheirNames() {
		for (Fault fault : List.of(Fault.ACK, Fault.FENCE, Fault.ORDER, Fault.REJOIN)) {
			assertThat(DemoOptions.parse(List.of("--break", fault.name().toLowerCase(Locale.ROOT))).fault())
				.isEqualTo(fault);
		}
	}

	@Test
	void refusesWhatItDoesNotKnowAndSaysWhatItDoes() {
		for (List<String> arguments : List.of(List.of("--twice"), List.of("--objects"), List.of("--objects", "many"),
				List.of("--break", "everything"), List.of("--break", "none"), List.of("--shard", "other"))) {
			assertThatIllegalArgumentException().isThrownBy(() -> DemoOptions.parse(arguments))
				.withMessageContaining(arguments.get(0))
				.withMessageContaining("Usage: ./demo");
		}
		assertThatIllegalArgumentException()
			.isThrownBy(() -> DemoOptions.parse(List.of("--shard", "josdk", "--break", "ack")))
			.withMessageContaining("no operator with that fault");
		assertThatIllegalArgumentException().isThrownBy(() -> DemoOptions.parse(List.of("--objects", "0")))
			.withMessage("'--objects' must be positive (is 0)");
	}

}
