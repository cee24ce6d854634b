package dev.sharding.internal.kubernetes.reconcile;

import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.ResourceCache;
import dev.sharding.internal.kubernetes.cache.read.ObjectCopier;
import dev.sharding.internal.kubernetes.fence.Claim;
import dev.sharding.internal.kubernetes.informer.store.StoreView;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.usercode.UserCode;
import dev.sharding.shard.DrainHandler;

/**
 * What a controller gets from the process around it.
 *
 * @param <T> the main resource
 * @param store finds the main objects, with the writes of this process
 * @param cache writes main objects
 * @param ownership tells which of them are ours
 * @param drainHandler acknowledges drains
 * @param handOver keeps shards apart, or {@code null} outside a ring
 * @param leading tells the claim of the term in which this process leads, {@code null}
 * where no Lease is needed to reconcile, or each object has its own claim
 * @param mayAct tells, at the beginning of each reconcile, whether this process may act
 * @param requests asks the API server whether an object is gone
 * @param copier copies what is handed to reconcilers
 * @param threads makes the workers' threads
 * @param meters where to register meters
 * @param observations where to report each reconcile
 * @param nanos the monotonic clock
 * @param mdc tells what the log context of every reconcile holds besides controller, key
 * and reconcileId
 * @param userCode notes which code of the user runs
 */
public record ControllerContext<T extends HasMetadata>(Supplier<StoreView<T>> store, ResourceCache<T> cache,
		Ownership ownership, DrainHandler drainHandler, @Nullable HandOver handOver,
		@Nullable Supplier<@Nullable Claim> leading, BooleanSupplier mayAct, ApiRequests requests, ObjectCopier copier,
		ThreadFactory threads, MeterRegistry meters, ObservationRegistry observations, LongSupplier nanos,
		Supplier<Map<String, String>> mdc, UserCode userCode) {
}
