package dev.sharding.internal.kubernetes.rest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import dev.sharding.client.NotSentException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class GuardedBodyTests {

	private static final byte[] BYTES = "0123456789".getBytes(StandardCharsets.UTF_8);

	private final AtomicInteger asked = new AtomicInteger();

	private final List<NotSentException> refusals = new ArrayList<>();

	private final List<Boolean> firsts = new ArrayList<>();

	@Test
	void asksBeforeTheFirstByteOnly() throws IOException {
		GuardedBody body = new GuardedBody(BYTES, this.asked::incrementAndGet, this::note);
		assertThat(this.asked).hasValue(0);
		assertThat(body.read()).isEqualTo('0');
		assertThat(body.readAllBytes()).asString(StandardCharsets.UTF_8).isEqualTo("123456789");
		assertThat(this.asked).hasValue(1);
	}

	@Test
	void asksAgainWhenItIsSentOnceMore() throws IOException {
		GuardedBody body = new GuardedBody(BYTES, this.asked::incrementAndGet, this::note);
		for (int attempt = 1; attempt <= 3; attempt++) {
			assertThat(body.readAllBytes()).isEqualTo(BYTES);
			assertThat(this.asked).hasValue(attempt);
		}
	}

	@Test
	void givesNothingAwayWhenItIsRefused() {
		NotSentException refusal = new NotSentException("planned");
		GuardedBody body = new GuardedBody(BYTES, () -> {
			throw refusal;
		}, this::note);
		assertThatIOException().isThrownBy(body::read).withCause(refusal);
		assertThat(this.refusals).containsExactly(refusal);
		assertThat(this.firsts).containsExactly(true);
	}

	@Test
	void saysThatAnEarlierAttemptMayHaveGoneOut() throws IOException {
		GuardedBody body = new GuardedBody(BYTES, () -> {
			if (this.asked.incrementAndGet() > 1) {
				throw new NotSentException("planned");
			}
		}, this::note);
		assertThat(body.readAllBytes()).isEqualTo(BYTES);
		assertThatIOException().isThrownBy(body::read);
		assertThat(this.firsts).containsExactly(false);
	}

	@Test
	void isNotReadAgainAfterItWasRefused() {
		GuardedBody body = new GuardedBody(BYTES, () -> {
			if (this.asked.incrementAndGet() == 1) {
				throw new NotSentException("planned");
			}
		}, this::note);
		assertThatIOException().isThrownBy(body::read).withCauseInstanceOf(NotSentException.class);
		assertThatIOException().isThrownBy(body::read).withMessageContaining("Nobody waits");
		assertThat(this.asked).hasValue(1);
		assertThat(body.abandon()).as("nothing was sent").isTrue();
	}

	@Test
	void isNotReadAgainAfterItWasGivenUp() throws IOException {
		GuardedBody body = new GuardedBody(BYTES, this.asked::incrementAndGet, this::note);
		assertThat(body.readAllBytes()).isEqualTo(BYTES);
		assertThat(body.abandon()).as("it may have had its effect").isFalse();
		assertThatIOException().isThrownBy(body::read).withMessageContaining("Nobody waits");
		assertThat(body.abandon()).isFalse();
		assertThat(this.asked).hasValue(1);
	}

	@Test
	void isNotReadWhenItIsGivenUpWhileItAsks() {
		AtomicReference<GuardedBody> asking = new AtomicReference<>();
		asking.set(new GuardedBody(BYTES, () -> asking.get().abandon(), this::note));
		assertThatIOException().isThrownBy(asking.get()::read).withMessageContaining("Nobody waits");
		assertThat(this.refusals).isEmpty();
	}

	private void note(NotSentException refusal, boolean first) {
		this.refusals.add(refusal);
		this.firsts.add(first);
	}

}
