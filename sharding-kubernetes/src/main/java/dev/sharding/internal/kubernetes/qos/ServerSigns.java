package dev.sharding.internal.kubernetes.qos;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import org.jspecify.annotations.Nullable;

/**
 * How the server fares: the share of answers that were 429 or 503 lately, and how full
 * its storage is. Both fade or go stale, so that an old sign limits nobody.
 */
final class ServerSigns {

	private static final double WEIGHT = 0.05;

	private static final double HALF_LIFE_NANOS = 10e9;

	private final LongSupplier nanoTime;

	private final StorageUse storage;

	/* The bits of the mean; its time is kept beside it, a torn pair does no harm. */
	private final AtomicLong pressure = new AtomicLong(Double.doubleToRawLongBits(0));

	private volatile long pressureAt;

	ServerSigns(StorageUse storage, LongSupplier nanoTime) {
		this.storage = storage;
		this.nanoTime = nanoTime;
		this.pressureAt = nanoTime.getAsLong();
	}

	/**
	 * Takes in how a request ended.
	 * @return how long the server wants to be left alone, or {@code null}
	 */
	@Nullable Duration answered(ApiRequest request, @Nullable Throwable failure) {
		ApiException refusal = (failure != null) ? ApiException.of(failure) : null;
		if (refusal == null || !refusal.isOverload() || isOfDisruptionBudget(request, refusal)) {
			learn(false);
			return null;
		}
		learn(true);
		return refusal.retryAfter();
	}

	/*
	 * That has the status of an overload, and may ask for a pause, but speaks of one Pod.
	 * A server with too much to do gives no reason in words of its API.
	 */
	private static boolean isOfDisruptionBudget(ApiRequest request, ApiException refusal) {
		return request.path().endsWith("/eviction") && refusal.reason().equals("TooManyRequests");
	}

	private void learn(boolean refused) {
		double faded = pressure();
		double next = faded + WEIGHT * ((refused ? 1 : 0) - faded);
		this.pressure.set(Double.doubleToRawLongBits(next));
		this.pressureAt = this.nanoTime.getAsLong();
	}

	double pressure() {
		long age = Math.max(0, this.nanoTime.getAsLong() - this.pressureAt);
		return Double.longBitsToDouble(this.pressure.get()) * Math.pow(0.5, age / HALF_LIFE_NANOS);
	}

	double storageUsed() {
		return this.storage.used();
	}

}
