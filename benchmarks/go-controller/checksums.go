package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// checksums keeps the ConfigMap of a Secret right: one create, or one update where the
// checksums differ.
type checksums struct {
	client client.Client
}

func (c *checksums) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	secret := &corev1.Secret{}
	if err := c.client.Get(ctx, request.NamespacedName, secret); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	data := make(map[string]string, len(secret.Data))
	for key, value := range secret.Data {
		sum := sha256.Sum256(value)
		data[key] = hex.EncodeToString(sum[:])
	}
	configMap := &corev1.ConfigMap{}
	name := types.NamespacedName{Namespace: secret.Namespace, Name: "checksums-" + secret.Name}
	err := c.client.Get(ctx, name, configMap)
	if err == nil {
		if maps.Equal(configMap.Data, data) {
			return ctrl.Result{}, nil
		}
		configMap.Data = data
		return ctrl.Result{}, c.client.Update(ctx, configMap)
	}
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, err
	}
	configMap.ObjectMeta = metav1.ObjectMeta{
		Namespace: name.Namespace,
		Name:      name.Name,
		Labels:    map[string]string{"secret": secret.Name},
	}
	configMap.Data = data
	if err := controllerutil.SetControllerReference(secret, configMap, c.client.Scheme()); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, c.client.Create(ctx, configMap)
}
